# share.gp: a share over one axis with its interval, the target, the answer, and the configured value.
#
# Slots: those of style.gp; DATA (x, share, low, high, all in %), VX, VY, VTEXT (the curve's name), FALLS (1: the curve
# falls, and has room below it on the left), YLABEL, TARGET (in %).
# D: lower ends of the intervals, V: shares, I: widths of the intervals.
eval tell('D', 'DATA using 3')
eval tell('V', 'DATA using 2')
eval tell('I', 'DATA using ($4-$3)')
LEAST = D_records > 0 && D_min < V_min ? D_min : V_min
BASE = LEAST > 50 ? 5 * floor((LEAST - 1) / 5) : 0       # if all shares are far above 0; the label says so
set yrange [BASE:BASE + 1.01 * (100 - BASE)]
YT = BASE < 60 ? (ROWS > 30 ? 20 : 50) : BASE > 90 ? 1 : 5
set ytics YT
set format y '%h %%'
set ylabel YLABEL.(BASE > 0 ? sprintf(' (axis from %d %%)', BASE) : '')
set rmargin 3
BAND = I_records > 0 && I_max > 0.003 * (100 - BASE)
set label 1 sprintf('%g %%', TARGET) at graph 0.01,first TARGET left offset 0,0.7 front tc rgb GREEN font font(0.9)
eval 'set label 3 (BAND ? VTEXT.", 95 % interval" : VTEXT) at VX,VY '.(part(VX) < 0.2 ? 'left' : FALLS ? 'right' : 'center').' offset 0,-1.2 tc rgb BLUE'
if (AX == AX) {
  set arrow 1 from AX,BASE to AX,AY nohead front ls 6
  eval 'set label 5 wrap(ATEXT, 24, 3) at AX,first BASE + 0.35*(AY-BASE) offset character '.beside(AX, 22).' front tc rgb RED boxed bs 1'
}
eval NOW
plot TARGET with lines ls 4, \
     DATA using 1:3:4 with filledcurves fc rgb BLUE fs transparent solid 0.22, \
     DATA using 1:2 with linespoints ls 1, \
     @MARKS
