# table.gp: measured runs over a count, the law that is fitted to them with its band, and the best counts.
#
# Slots: those of style.gp; DATA (count, a run by the law, low, high), RUNS (count, measured), REGIONS ("name", from, to,
# number of its color), YLABEL, RISES (1: a rate), ALIKEFROM, ALIKETO (the counts that are alike), END (the largest that
# was measured), ZERO (measured without loaders; NaN: not), ZTEXT, AX, AY, ATEXT (the best count).
eval tell('H', 'DATA using 4')
eval tell('R', 'RUNS using 2')
T = R_max > 1.05 * H_max ? 1.15 * R_max : 1.15 * (H_max < 1.6 * R_max ? H_max : 1.6 * R_max)
set yrange [0:T]
YT = step(T, ROWS > 30 ? 7 : 4)
set ytics YT
set ylabel YLABEL
set rmargin 3
eval KEY
array GROUND[3] = [0xe3eff7, 0xf3f0dc, 0xfdf0e2]
array LETTERS[3] = [0x00507d, 0x6b6000, 0x9a4300]
do for [i=1:|$REGIONS|] {
  WHAT = word($REGIONS[i], 1)
  A = inside(field($REGIONS[i], 2))
  B = inside(field($REGIONS[i], 3))
  K = int(field($REGIONS[i], 4)) + 1
  set object 10+i rect from A,0 to B,T behind fc rgb GROUND[K] fs solid 1 noborder
  if (strlen(WHAT) * 0.9 < between(A, B)) {
    set label 10+i WHAT at middle(A, B),0.955*T center font font(0.85) tc rgb LETTERS[K]
  }
}
# The counts that are alike: a bar along the axis.
LEFT = inside(ALIKEFROM / (ALIKETO > ALIKEFROM ? 1 : 1.04))
RIGHT = inside(ALIKETO * (ALIKETO > ALIKEFROM ? 1 : 1.04))
set object 1 rect from LEFT,0 to RIGHT,0.018*T front fc rgb RED fs solid 1 noborder
set arrow 1 from AX,0 to AX,AY+(RISES ? 0 : 0.15*T) nohead front ls 6
SIDE = part(AX) > 0.7 ? 'right offset -1,0' : 'left offset 1,0'
eval 'set label 1 ATEXT at AX,'.(RISES ? '0.3*AY ' : 'AY+0.15*T ').SIDE.' front tc rgb RED'
if (END < XMAX) {
  set arrow 2 from END,0 to END,0.9*T nohead front lw 1.2*S lc rgb MUTED dt (3*D,3*D)
  set label 2 'table ends' at END,0.9*T center offset 0,0.6 front font font(0.85) tc rgb MUTED
}
if (ZERO == ZERO) { set label 3 ZTEXT at graph 0.99,first ZERO right offset 0,0.6 front font font(0.9) tc rgb INK boxed bs 1 }
plot DATA using 1:3:4 with filledcurves fc rgb BLUE fs transparent solid 0.2 title '95 % of runs', \
     DATA using 1:2 with lines lw 2.2*S lc rgb BLUE title 'law', \
     RUNS using 1:2 with points pt 7 ps 1.3*P lc rgb INK title 'measured', \
     ZERO with lines lw 1.2*S lc rgb INK dt (5*D,4*D), \
     NaN with boxes lc rgb RED title 'alike', \
     '+' using (AX):(AY) every ::::0 with points ls 5
