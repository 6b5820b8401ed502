# animation.gp: loaders that fill, the queue and the trainer, frame by frame, over a strip of what the trainer did so far.
#
# Slots: those of style.gp (TERM with its delay); FRAMES; LEFT, RIGHT, TOP, BOTTOM (pixels); COLUMNS (width in cells,
# 1 each), LINES (height in lines of cells); CW, CH (width, height of a cell: shares of its place); NUMBERS (1: loads
# show their progress); LABELS ("text", y); FROM, UNTIL, UNIT; CLOCK[], COUNT[] of each frame; CELLS1.. with rows
# (x, y, kind, color, color below, color of a hatch, share) and TEXTS1.. with rows (text, x, y, color).
# Kinds: 0 empty, 1 loads, 2 full, 3 held, 4 stalled, 5 waits for other ranks, 6 receives.
# STRIP with rows (from, until, y, shares of: stepping, waiting for data, for other ranks).
STALL = 0xcc3311; BARRIER = 0xb8860b; STEP = 0x8a929c
STRIP_HIGH = 0.62                               # in lines
# K, B: waiting for data, for other ranks.
eval tell('K', 'STRIP using 5')
eval tell('B', 'STRIP using 6')
set tmargin at screen 1 - TOP / real(H)
set bmargin at screen BOTTOM / real(H)
set lmargin at screen LEFT / real(W)
set rmargin at screen 1 - RIGHT / real(W)
set border 0
set grid noytics
unset ytics
set xrange [FROM:UNTIL]
set x2range [0:COLUMNS]
set yrange [LINES:0]
set xtics out scale 0.4 offset 0,0.3 tc rgb TEXT
set format x '%g '.UNIT
set label 101 wrap(TITLE, 84, 3) font font(1.2)
# The legend of the strip: a square and a word for each color, x characters from the left.
FOOT = 0.2 * BOTTOM / real(H)
legend(k, x, text, color) = sprintf("set label %d '■' at second 0, screen FOOT offset character %d,0 tc rgb %d;", k, x, color). \
  sprintf("set label %d '%s' at second 0, screen FOOT offset character %d,0 tc rgb TEXT;", k + 1, text, x + 2)
eval legend(301, 0, 'trains', STEP).(K_max > 0 ? legend(303, 11, 'waits for data', STALL) : '').\
  (B_max > 0 ? legend(305, K_max > 0 ? 29 : 11, 'waits for other ranks', BARRIER) : '')
do for [k=1:|$LABELS|] { set label 200 + k word($LABELS[k], 1) at second 0, first field($LABELS[k], 2) right offset -1,0 tc rgb INK }
# frame: y at the start of the strip; edge: color of a cell's border; cut: the end of a slice, at most now;
# at: x if `is`, else nothing.
frame(x, y) = x <= FROM ? y : NaN
edge(kind) = kind == 0 ? 0xcccccc : kind == 4 ? STALL : kind == 5 ? BARRIER : 0x777777
at(x, is) = is ? x : NaN
cut(x, now) = x < now ? x : now

do for [i=1:FRAMES] {
  CELLS = sprintf('$CELLS%d', i)
  now = FROM + (UNTIL - FROM) * (i / real(FRAMES))
  set label 1 CLOCK[i] at second 0, graph 1 offset 0,0.9 left tc rgb INK
  set label 2 COUNT[i] at graph 1, graph 1 offset 0,0.9 right tc rgb INK
  plot CELLS using 1:2:1:($1+CW):2:($2+CH):5 axes x2y1 with boxxyerror fs solid 1 noborder lc rgb variable, \
    CELLS using (at($1, ($3==1 || $3==6) && $7>0)):2:1:($1+CW*$7):($3==1 && NUMBERS ? $2+0.58*CH : $2):($2+CH):4 \
      axes x2y1 with boxxyerror fs solid 1 noborder lc rgb variable, \
    CELLS using (at($1, $3==3)):2:1:($1+CW):2:($2+CH):6 axes x2y1 with boxxyerror \
      fs transparent pattern 5 noborder lc rgb variable, \
    CELLS using (at($1, $3==4)):2:1:($1+CW):2:($2+CH) axes x2y1 with boxxyerror \
      fs transparent pattern 4 noborder lc rgb STALL, \
    CELLS using (at($1, $3==5)):2:1:($1+CW):2:($2+CH) axes x2y1 with boxxyerror \
      fs transparent pattern 5 noborder lc rgb BARRIER, \
    CELLS using 1:2:1:($1+CW):2:($2+CH):(edge($3)) axes x2y1 with boxxyerror fs empty lc rgb variable, \
    CELLS using ($1+0.5*CW):($2+0.3*CH):(NUMBERS && $3==1 ? sprintf('%.1f', $7) : '') axes x2y1 with labels \
      tc rgb INK, \
    sprintf('$TEXTS%d', i) using 2:3:1:4 axes x2y1 with labels left tc rgb variable, \
    STRIP using (at($1, $1<now && $4>0.01)):3:1:(cut($2, now)):($3+STRIP_HIGH*(1-$4)):($3+STRIP_HIGH) \
      with boxxyerror fs solid 1 noborder lc rgb STEP, \
    STRIP using (at($1, $1<now && $6>0.01)):3:1:(cut($2, now)):($3+STRIP_HIGH*(1-$4-$6)):($3+STRIP_HIGH*(1-$4)) \
      with boxxyerror fs solid 1 noborder lc rgb BARRIER, \
    STRIP using (at($1, $1<now && $5>0.01)):3:1:(cut($2, now)):($3+STRIP_HIGH*(1-$4-$6-$5)):($3+STRIP_HIGH*(1-$4-$6)) \
      with boxxyerror fs solid 1 noborder lc rgb STALL, \
    STRIP using (FROM):(frame($1, $3)):(FROM):(UNTIL):3:($3+STRIP_HIGH) with boxxyerror fs empty lc rgb 0xcccccc
}
