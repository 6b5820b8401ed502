# frontier.gp: what instances cost and what they reach; the cheapest that reach as much are joined.
#
# Slots: those of style.gp; DATA (price, figure, 1: fits), NAMED ("name", price, figure; the answer first if ANSWERED is
# 1), TARGET and TTEXT, SHARE (1: shares, in %), FIGURE (of the axis).
eval tell('V', 'DATA using 2')
TOP = SHARE == 1 ? 109 : 1.12 * (V_max > TARGET ? V_max : TARGET)
set yrange [0:TOP]
set ytics SHARE == 1 ? 20 : step(TOP, ROWS > 30 ? 8 : 4)
if (SHARE == 1) {
  set format y '%h %%'
}
set ylabel FIGURE
set rmargin 3
set label 1 TTEXT at graph 0.01,first TARGET left offset 0,0.7 front tc rgb GREEN font font(0.9)
XL = 0
set xrange [0:XR]
set xtics step(XR, 10)
do for [i=1:|$NAMED|] {
  NAME = word($NAMED[i], 1)
  NX = field($NAMED[i], 2)
  NY = field($NAMED[i], 3)
  RIGHT = part(NX) > 0.7
  FIRST = ANSWERED == 1 && i == 1
  eval 'set label 10+i NAME at NX,NY offset character '.(RIGHT ? '-0.8,' : '0.8,').(FIRST ? '0.9' : '-0.9').(RIGHT ? ' right' : ' left').\
    (FIRST ? ' front tc rgb RED boxed bs 1' : ' front tc rgb TEXT font font(0.9)')
}
BEST = 0
plot TARGET with lines ls 4, \
     DATA using 1:(BEST = $3 == 1 && $2 > BEST ? $2 : BEST) with steps lw 1.5*S lc rgb SKY, \
     DATA using ($3 == 1 ? $1 : NaN):2 with points pt 7 ps 1.3*P lc rgb BLUE, \
     DATA using ($3 == 1 ? NaN : $1):2 with points pt 6 ps 1.3*P lc rgb MUTED, \
     $NAMED using (ANSWERED == 1 ? $2 : NaN):3 every ::::0 with points ls 5
