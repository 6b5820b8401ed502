# ranks.gp: the mean wait of each rank with its interval; beside it how often and how long its wait was the longest.
#
# Slots: those of style.gp; DATA (rank, wait, 1: slow, low, high, share of the time lost in % (NaN: none), times),
# WNAME (of the waits), ALL (what all ranks wait where they keep step; NaN: unknown), ATEXT, MEDIAN (NaN: none), MTEXT, NOTE.
eval tell('D', 'DATA using 2')
eval tell('H', 'DATA using 5')
eval tell('L', 'DATA using 6')
N = |$DATA|
HELD = L_records > 0
WNAME = HELD || NOTE eq '' ? WNAME : WNAME.', '.NOTE
EDGE = HELD ? 0.5 : 1 - 3 / COLS
MOST = H_records > 0 && H_max > D_max ? H_max : D_max
MOST = ALL > MOST ? ALL : MOST
BOTTOM = (strlen(WNAME) > (EDGE * COLS - 9) * 1.15 ? 4.4 : 3.4) / ROWS
TOP = 1 - (HEAD + 2.4) / ROWS
TALL = (TOP - BOTTOM) * ROWS / (N + 1)                  # lines of text for a rank
EVERY = TALL < 1 ? ceil(1 / TALL) : 1
set multiplot
set border 0
set grid xtics noytics ls 9
set ytics () scale 0
do for [i=1:N:EVERY] { set ytics add (sprintf('rank %.0f', field($DATA[i], 1)) i - 1) }
set yrange [N-0.4:-0.8]
set lmargin at screen 9 / COLS
set rmargin at screen EDGE
set tmargin at screen TOP
set bmargin at screen BOTTOM
set xrange [0:1.1*MOST]
XT = step(1.1 * MOST, (EDGE * COLS - 9) / 7)
set xtics XT
ROOM = int((EDGE * COLS - 9) * 1.15)
set xlabel wrap(WNAME, ROOM, 2) font font(0.9)
if (MEDIAN == MEDIAN) {
  set arrow 1 from MEDIAN,graph 0 to MEDIAN,graph 1 nohead lw 1.2*S lc rgb MUTED dt (3*D,3*D)
  set label 1 MTEXT at MEDIAN,graph 1 offset 0,0.6 tc rgb MUTED font font(0.85)
  if (MEDIAN > 0.55 * MOST) { set label 1 MTEXT right }
}
if (ALL == ALL) {
  set arrow 2 from ALL,graph 0 to ALL,graph 1 nohead lw 2*S lc rgb RED
  # Above the other name where both would touch.
  APART = MEDIAN != MEDIAN || strlen(ATEXT) + strlen(MTEXT) < 0.9 * (EDGE * COLS - 9) * (ALL - MEDIAN) / MOST && MEDIAN <= 0.55 * MOST
  set label 2 ATEXT at ALL,graph 1 right offset 0,(APART ? 0.6 : 1.5) tc rgb RED font font(0.85)
}
plot DATA using 4:0:($5-$4):(0) with vectors heads size graph 0.006,90 lw 1.6*S lc rgb INK, \
     DATA using 2:0:($3 > 0 ? RED : BLUE) with points pt 7 ps 1.5*P lc rgb variable, \
     DATA using ($2 < 0.03 * MOST ? 0.03 * MOST : $2):(TALL > 2 ? $0 : 1e300):(num($2)) with labels offset 0,0.9 font font(0.8) tc rgb INK boxed bs 1
if (HELD) {
  unset label
  unset arrow
  set lmargin at screen EDGE + 8 / COLS
  set rmargin at screen 1 - 3 / COLS
  set xrange [0:1.65*L_max]
  XT = step(1.65 * L_max, (0.5 * COLS - 11) / 7)
  set xtics 0,XT,L_max
  set format x '%h %%'
  HNAME = 'All wait for it: share of the time lost (times)'
  set xlabel wrap(HNAME, ROOM, 2) font font(0.9)
  NOTE = wrap(NOTE, ROOM, 2)
  set label 10 NOTE at graph 0,1 left offset 0,0.6+0.9*(lines(NOTE)-1) tc rgb MUTED font font(0.85)
  plot DATA using ($6/2):0:(0):6:($0-0.3):($0+0.3):($3 > 0 ? RED : 0x9db8cc) with boxxyerror lc rgb variable, \
       DATA using 6:(TALL >= 1 ? $0 : 1e300):(sprintf('%.0f %% (%.0f)', $6, $7)) with labels \
         left offset 0.7,0 font font(0.85) tc rgb INK
}
unset multiplot
