# timeline.gp: a row of boxes over time for each loader, the queue, and the trainer.
#
# Slots: those of style.gp; HIGH (of all rows, each about 1), TRACKS ("name", its place, 1: a heading), SPANS ("text",
# from, to, lower edge, upper edge, kind, color, color of the text), PATH (x, the lower edge of a row: the line is above
# it), NOTE. Kinds: 0 work, 1 the trainer receives, 2 batches ready, 3 held, 4 a stall, 5 waiting for ranks, 6 a pause,
# 7 slowed loads, 8 an epoch, 9 a late batch, 10 a heading.
boxed(k) = k < 4 || k == 6 || k == 8 || k == 9
array SEEN[11]
COUNT = 0                                                # of boxes
do for [k=0:10] {
  eval tell('K', 'SPANS using ($6 == '.k.' ? 1 : NaN)')
  SEEN[k+1] = K_records > 0
  COUNT = COUNT + (K_records > 0 && boxed(k) ? K_records : 0)
}
# The key: entries 1 and 2 are kind 0 in two colors (HUE: they occur), 3 is kind 9, 4 to 10 are kinds 2, 3, 1, 6, 7, 4,
# 5 (SEEN[kind + 1]: they occur), 11 is the path.
array KNAME[11] = ['loads', 'trains', 'late batch', 'batches ready', 'held behind a late one', 'receives', 'pauses', 'slowed', 'waits for data', 'waits for other ranks', 'critical path']
array KCOLOR[11] = [0x9db8cc, 0x0072b2, 0xcc3311, 0x55595f, 0xc4c8ce, 0x888888, 0x7d5ba6, 0xee7733, 0xcc3311, 0xb8860b, 0x111111]
array HUE[2]
do for [i=1:2] {
  eval tell('K', sprintf('SPANS using ($6 == 0 && $7 == %d ? 1 : NaN)', KCOLOR[i]))
  HUE[i] = K_records > 0
}
set xrange [XMIN:XMAX]                                   # from here on: statistics drop what is outside
set yrange [HIGH:0]
set border 1
set grid noytics xtics ls 9
set ytics scale 0
set ytics ()
NEEDS = 1.05 * |$TRACKS| / (ROWS - HEAD - 7)             # names that would touch are left out
EVERY = NEEDS > 1 ? ceil(NEEDS) : 1
ABOVE = NEEDS > 0.7 ? 0 : 0.19                           # the path: between low rows it does not run through texts
LONGEST = 0
do for [i=1:|$TRACKS|] {
  NAME = word($TRACKS[i], 1)
  LONGEST = strlen(NAME) > LONGEST ? strlen(NAME) : LONGEST
  if (field($TRACKS[i], 3) || (i - 1) % EVERY == 0 || strstrt(NAME, ' ') == 0) {
    set ytics add (NAME field($TRACKS[i], 2))
  }
}
# A chart of one run names late batches in their spans, not in the key.
shown(i) = i == 11 ? |$PATH| > 0 : i < 3 ? HUE[i] : i == 3 ? SEEN[10] && SEEN[11] : SEEN[word('3 4 2 7 8 5 6', i - 3) + 0]
long(i) = shown(i) ? (0.93 * wide(KNAME[i]) + 2.9) * EM / W : 0
K = sum [i=1:11] long(i)
ROOM = 1 - 4 * EM / W
WRAPS = K > 1.1 * ROOM                                   # several lines where the page is narrow
LINE = 0
K = WRAPS || K < ROOM ? 1 : ROOM / K
X = 1 - 2 * EM / W
do for [i=11:1:-1] {                                      # from the right, as long as the names are
  SHOWN = shown(i)
  COLORED = int(KCOLOR[i])
  if (WRAPS && SHOWN && X - K * long(i) < 2 * EM / W) {
    LINE = LINE + 1
    X = 1 - 2 * EM / W
  }
  X = X - K * long(i)
  NAMED = SHOWN ? KNAME[i] : ''
  MARK = !SHOWN ? '' : i == 11 ? '━' : i > 8 ? '▨' : '■'
  set label 20+i NAMED at screen X + 1.4 * K * EM / W,graph 1 left offset 0,0.9 + 1.2 * LINE tc rgb TEXT font font(0.9 * K)
  set label 40+i MARK at screen X,graph 1 left offset 0,0.9 + 1.2 * LINE tc rgb COLORED font font(1.1 * K)
}
set tmargin HEAD + 1.6 + 1.2 * LINE
set bmargin 4.2
set rmargin 2
set label 10 NOTE at screen 1,0 right offset -1.5,0.8 tc rgb MUTED font font(0.85)
if (COUNT < |$TRACKS| * COLS / 2.) { set style fill solid 1 border lc rgb 'white' }   # narrower boxes would be all border
# of(k): where a span of kind k starts.
of(k) = column(6) == k ? column(2) : NaN
# A text that fits into its span: whole, or its shorter part.
span(w) = 0.57 * (COLS - 5 - 0.95 * LONGEST) * w / (XMAX - XMIN)   # its width in em
fits(s, w) = span(w) > 0.7 && 0.9 * wide(s) + 0.2 < span(w)
number(s) = (_m = strstrt(s, ': stall '), _m ? s[_m+2:*] : s[1:6] eq 'batch ' ? s[7:*] : s)
micro(s) = (_m = strstrt(s.' ', ' us '), _m ? s[1:_m].'µs'.s[_m+3:*] : s)
text(s, w) = micro(fits(s, w) ? s : number(s))
# A text that fits nowhere is placed out of sight: gnuplot 5.4 crashes if no label has a place.
place(s, w) = ROWS > 0.9 * HIGH && s ne '' && fits(number(s), w) ? (column(2) + column(3)) / 2 : -1e9
plot SPANS using (boxed($6) ? $2 : NaN):4:2:3:4:5:7 with boxxyerror lc rgb variable, \
     SPANS using (of(7)):4:2:3:4:5:7 with boxxyerror lc rgb variable fs solid 1 noborder, \
     SPANS using (of(4)):4:2:3:4:5 with boxxyerror fc rgb 0xcc3311 fs pattern 4 border lc rgb 0xcc3311, \
     SPANS using (of(5)):4:2:3:4:5 with boxxyerror fc rgb 0xb8860b fs pattern 5 border lc rgb 0xb8860b, \
     PATH using 1:($2-ABOVE) with lines lw 3.6*S lc rgb 'white', \
     PATH using 1:($2-ABOVE) with lines lw 1.8*S lc rgb 0x111111, \
     SPANS using ($6 == 10 ? $2 : -1e9):(($4+$5)/2):1:7 with labels left offset -0.3,0 font font(1) tc rgb variable, \
     SPANS using (boxed($6) ? place(strcol(1), $3-$2) : -1e9):(($4+$5)/2):(text(strcol(1), $3-$2)):8 with labels center font font(0.8) tc rgb variable, \
     SPANS using (boxed($6) || $6 == 10 ? -1e9 : place(strcol(1), $3-$2)):(($4+$5)/2):(text(strcol(1), $3-$2)) with labels center font font(0.85) tc rgb 0x9c2400 boxed bs 1
