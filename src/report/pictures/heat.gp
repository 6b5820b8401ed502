# heat.gp: utilization over two axes, in bands that are narrow where decisions are made, with lines of 90, 95 and 99 %
# along the borders of cells.
#
# Slots: those of style.gp; DATA (x, y, utilization in %, the edges of its cell: x low, x high, y low, y high),
# LINE90, LINE95, LINE99 (borders of cells that reach it: from x, y, to x, y), YLABEL, YLOG, YWHOLE (1: counts).
LEVELS = '90 95 99'
array EX[3]
array EY[3]
set xrange [*:*]                                         # statistics drop what is outside
do for [i=1:3] {                                         # the right end of each line
  E_max = F_min = NaN
  LINE = '$LINE'.word(LEVELS, i)
  eval 'if (|'.LINE.'| > 0) { '.tell('E', LINE.' using 3').'; '.tell('F', LINE.' using ($3 == E_max ? ($2+$4)/2 : NaN)').' }'
  EX[i] = E_max
  EY[i] = F_min
}
# A, B: the lower and the upper edges of the cells.
stats DATA using 4:6 name 'A' nooutput
stats DATA using 5:7 name 'B' nooutput

EDGES = '0 50 70 80 90 95 99 100'
band(u) = sum [i=2:7] (u >= word(EDGES, i) + 0)
set palette maxcolors 7
set palette defined (0 '#2c2a5c', 1 '#3a4f8a', 2 '#2f7f93', 3 '#4fae8b', 4 '#a3cf6f', 5 '#ecdf6a', 6 '#fdf6c8')
set cbrange [-0.5:6.5]
set cbtics ('' -0.5)
set for [i=1:8] cbtics add (word(EDGES, i).' %%' i - 1.5) scale 0 tc rgb TEXT
TALL = 2.3 * (ROWS - HEAD - 4)                           # the panel in characters
set cblabel TALL < 28 ? 'Utilization' : 'Utilization of the trainer' offset 0.5,0 tc rgb INK
CH = 0.57 * EM / W                                       # a character in widths of the page
set colorbox user origin screen 1 - 12 * CH, graph 0 size screen 1.8 * CH, graph 1 noborder
set rmargin at screen 1 - 18 * CH                        # room for the names of the lines

set xrange [A_min_x:B_max_x]
set yrange [A_min_y:B_max_y]
XL = A_min_x
XR = B_max_x
if (!XLOG) {
  X = (COLS - 30) / (strlen(sprintf('%.6g', XMAX)) + 3.5)
  X = step(XR - XL, X > 3.5 ? X : 3.5)                   # two labels at least
  XT = XWHOLE && X < 1 ? 1 : X
  set xtics ceil(XMIN / XT) * XT, XT, XMAX + XT / 1e6
}
set ylabel YLOG && strlen(logged(YLABEL)) < TALL ? logged(YLABEL) : YLABEL
if (YLOG) {
  set logscale y 10
  unset mytics
  set ytics ()
  do for [k=floor(log10(A_min_y)):ceil(log10(B_max_y))] {
    do for [m in each(B_max_y / A_min_y)] {
      set ytics add (sprintf('%.6g', m * 10.**k) m * 10.**k)
    }
  }
} else {
  YT = step(B_max_y - A_min_y, ROWS > 30 ? 10 : 5)
  YT = YWHOLE && YT < 1 ? 1 : YT
  set ytics ceil((A_min_y + YT / 1e6) / YT) * YT, YT
}
unset grid
# up(): a height as a share of the panel; above(): lines of text between a name and that of 95 %; apart(): by how many
# lines a name moves up so as not to touch that of 95 %.
up(y) = YLOG ? log(y / A_min_y) / log(B_max_y / A_min_y) : (y - A_min_y) / (B_max_y - A_min_y)
above(i) = (up(EY[i]) - up(EY[2])) * (ROWS - HEAD - 4)
apart(i) = EX[i] != EX[2] || i == 2 || abs(above(i)) > 1.2 ? 0 : 1.2 * (above(i) == 0 ? 2 - i : sgn(above(i))) - above(i)
# Lines that end together have one label: 95 % over 99 %.
joins(i) = i != 2 && EX[i] == EX[2] && EY[i] == EY[2]
named(i) = i != 2 ? word(LEVELS, i).' %' : (joins(1) ? "90 %\n" : '').'95 %'.(joins(3) ? "\n99 %" : '')
do for [i=1:3] {
  if (EX[i] == EX[i] && !joins(i)) {
    RAISED = apart(i) + (i == 2 ? 0.4 * (joins(1) + joins(3)) : 0)
    set label 10+i named(i) at EX[i],EY[i] left offset 1,RAISED front font font(0.8) tc rgb INK boxed bs 1
  }
}
# The name of a mark is left of it near the right end of the map.
side(x, s) = part(x) > 0.5 && (1 - part(x)) * (COLS - 28) < 0.9 * strlen(s) + 1 ? '-1 right' : '1 left'
placed(x, s, y) = (_s = side(x, s), word(_s, 1).','.y.' '.word(_s, 2).' front boxed bs 1 font font(0.85)')
if (NX == NX) { eval 'set label 1 NTEXT at NX,NY offset '.placed(NX, NTEXT, '1').' tc rgb INK' }
if (AX == AX) { eval 'set label 2 ATEXT at AX,AY offset '.placed(AX, ATEXT, '-1').' tc rgb RED' }
plot DATA using 4:6:4:5:6:7:(band($3)) with boxxyerror lc palette fs solid border, \
     for [l in LEVELS] '$LINE'.l using 1:2:($3-$1):($4-$2) with vectors nohead lw 4*S lc rgb 'white', \
     for [l in '90 99'] '$LINE'.l using 1:2:($3-$1):($4-$2) with vectors nohead lw 1.2*S lc rgb INK, \
     $LINE95 using 1:2:($3-$1):($4-$2) with vectors nohead lw 2.6*S lc rgb INK, \
     '+' using (NX):(NY):(AX-NX):(AY-NY) every ::::0 with vectors head filled size char 0.9,20 lw 1.6*S lc rgb INK, \
     @MARKS
