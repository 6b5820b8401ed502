# throughput.gp: throughput over one axis: what is possible, what the simulation gives, and what binds where.
#
# Slots: those of style.gp; DATA (x, upper bound, lower bound, throughput, low, high), REGIONS ("name", from, to, colors
# of the ground and the letters), YLABEL, VX, VY, VTEXT (the throughput's name, ABOVE 1: above the line), LX, LY, LTEXT
# (the lower bound's; NaN: none), STEP (the step's rate; NaN: no step), STEPTEXT, TARGET (a share of it).
eval tell('V', 'DATA using 4')
eval tell('I', 'DATA using 6')
eval tell('B', 'DATA using ($6-$5)')
V_max = I_records > 0 && I_max > V_max ? I_max : V_max
T = 1.22 * (STEP < 1.6 * V_max ? STEP : V_max)
T = T > 0 ? T : 1
set yrange [0:T]
YT = step(T, ROWS > 30 ? 7 : 4)
set ytics YT
set ylabel YLABEL
set rmargin 2

# Names stand beside their lines; an interval too thin to be seen has none.
NAMED = B_records > 0 && B_max > 0.01 * T ? VTEXT.', 95 % interval' : VTEXT
eval 'set label 1 NAMED at VX,VY '.(ABOVE ? 'right offset -0.5,0.9' : 'left offset 0.7,-1').' tc rgb BLUE'
if (LX == LX) {
  set label 2 LTEXT at LX,LY left offset 0.8,-0.9 font font(0.9) tc rgb MUTED
}
if (STEP < T) {
  set label 3 STEPTEXT at graph 0.01,first STEP offset 0,0.65 left front font font(0.9) tc rgb INK
  set label 4 sprintf('%.0f %% of it', 100 * TARGET) at graph 0.01,first TARGET*STEP offset 0,-0.7 left front font font(0.9) tc rgb GREEN
}
if (AX == AX) {
  set arrow 1 from AX,0 to AX,AY nohead front ls 6
  eval 'set label 5 wrap(ATEXT, 26, 4) at AX,0.3*AY offset character '.beside(AX, 24).' front tc rgb RED'
}
eval NOW
do for [i=1:|$REGIONS|] {
  WHAT = word($REGIONS[i], 1)
  A = inside(field($REGIONS[i], 2))
  B = inside(field($REGIONS[i], 3))
  FILLED = int(field($REGIONS[i], 4))
  INKED = int(field($REGIONS[i], 5))
  set object 10+i rect from A,0 to B,T behind fc rgb FILLED fs solid 1 noborder
  if (strlen(WHAT) * 0.9 < between(A, B)) {
    set label 10+i WHAT at middle(A, B),0.955*T center font font(0.85) tc rgb INKED
  } else {
    if (between(A, B) > 1.5 && (!(STEP < T) || between(XL, middle(A, B)) > strlen(STEPTEXT))) {
      set label 10+i WHAT at middle(A, B),0.98*T right rotate font font(0.85) tc rgb INKED
    }
  }
}
plot DATA using 1:(TARGET*STEP) with lines ls 4, \
     DATA using 1:(STEP) with lines ls 2 lw 0.8*S, \
     DATA using 1:3 with lines ls 3, \
     DATA using 1:($2 < 1.001 * T ? $2 : NaN) with lines ls 2, \
     DATA using 1:5:6 with filledcurves fc rgb BLUE fs transparent solid 0.25, \
     DATA using 1:4 with linespoints ls 1, \
     @MARKS
