# timeline.gp: who did what when: a row of boxes for each loader, the queue, and the trainer, over one time axis.
#
# Slots: those of style.gp; HIGH (of all rows, each about 1), ROWS_OF (their number) with RNAME[], RAT[] (where a name
# stands) and RHEAD[] (1: a heading); BOXES (from, to, upper, lower, color), SLOWED (the same, drawn over them), STALLS,
# BARRIERS (the same, hatched), PATH (x, y: a line), LABELS and WAITS ("text", x, y, color), each with at least one row;
# KEYS (their number) with KNAME[], KCOLOR[], KHATCH[] (1: hatched, 2: a line), NOTE.
set xrange [XMIN:XMAX]
set yrange [HIGH:0]
set border 1
set grid noytics xtics ls 9
set ytics scale 0
set ytics ()
NEEDS = 1.05 * ROWS_OF / (ROWS - HEAD - 7)               # names that would touch are left out
EVERY = NEEDS > 1 ? ceil(NEEDS) : 1
do for [i=1:ROWS_OF] {
  if (RHEAD[i] || (i - 1) % EVERY == 0 || strstrt(RNAME[i], ' ') == 0) {
    set ytics add (plain(RNAME[i]) RAT[i])
  }
}
set key off
X = 1 - 2 * EM / W
do for [i=KEYS:1:-1] {
  SHIFT = (strlen(KNAME[i]) + 4.5) * 0.52 * EM / W
  X = X - SHIFT
  COLORED = int(KCOLOR[i])
  set label 20+i KNAME[i] at screen X + 1.9 * EM / W,graph 1 left offset 0,0.9 tc rgb TEXT font font(0.9)
  MARK = KHATCH[i] == 2 ? '━' : KHATCH[i] > 0 ? '▨' : '■'
  set label 40+i MARK at screen X,graph 1 left offset 0,0.9 tc rgb COLORED font font(1.1)
}
set tmargin HEAD + 1.6
set bmargin 4.2
set rmargin 2
set label 10 NOTE at screen 1,0 right offset -1.5,0.8 tc rgb MUTED font font(0.85)
eval 'N = |'.BOXES.'|'
if (N < ROWS_OF * COLS / 2.) { set style fill solid 1 border lc rgb 'white' }   # narrower ones would be all border
plot BOXES using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable, \
     SLOWED using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable fs solid 1 noborder, \
     STALLS using 1:3:1:2:3:4 with boxxyerror fc rgb 0xcc3311 fs pattern 4 border lc rgb 0xcc3311, \
     BARRIERS using 1:3:1:2:3:4 with boxxyerror fc rgb 0xb8860b fs pattern 5 border lc rgb 0xb8860b, \
     PATH using 1:2 with lines lw 3 lc rgb 0x111111, \
     LABELS using 2:3:1:4 with labels center font font(0.8) tc rgb variable, \
     WAITS using 2:3:1 with labels center font font(0.85) tc rgb 0x9c2400 boxed bs 1
