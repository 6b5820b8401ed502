# instances.gp: what each instance reaches, against the target, with its price, the hosts and loaders.
#
# Slots: those of style.gp; DATA (figure, 1: reaches the target and fits, 1: the answer), INAME[], PRICE[], HOSTS[] and
# COUNT[] (of loaders), LIST (instances without a row), TARGET and TTEXT, SHARE (1: shares, in %), FIGURE (of the axis).
eval tell('V', 'DATA using 1')
ALL = |$DATA|
FREE = int((ROWS - HEAD - 6 - 0.8 * ALL) / 0.9)         # lines that the rows leave
LISTED = wrap(LIST, int(0.9 * fill(LIST, 0.85)), FREE > 2 ? FREE : 2)
BOTTOM = (3.6 + 0.9 * lines(LISTED)) / ROWS
TOP = 1 - (HEAD + 1.4) / ROWS
ROOM = (TOP - BOTTOM) * ROWS / 1.05
K = ALL > ROOM ? ROOM / ALL : 1                         # smaller letters for many instances
K = K < 0.62 ? 0.62 : K
SHOWN = int(ROOM / K)
N = SHOWN < ALL ? SHOWN : ALL
LONGEST = 0
do for [i=1:N] { LONGEST = strlen(INAME[i]) > LONGEST ? strlen(INAME[i]) : LONGEST }
set lmargin at screen (K * LONGEST + 3) / COLS
HOSTED = COLS - K * LONGEST > 40                      # there is room for a column of hosts, too
RIGHT = HOSTED ? 18 : 12
set rmargin at screen 1 - (RIGHT + 13) / COLS
set tmargin at screen TOP
set bmargin at screen BOTTOM
MOST = SHARE ? 100 : 1.05 * (V_max > TARGET ? V_max : TARGET)
set xrange [0:MOST]
set yrange [N-0.3:-0.7]
set border 0
set grid xtics noytics ls 9
XT = SHARE ? (COLS > 80 ? 20 : 100) : step(MOST, COLS / 20.)
set xtics XT
set format x (SHARE ? '%h %%' : '%h')
set xlabel FIGURE
TF = font(0.95 * K)
set ytics () scale 0 font TF
ink(i) = field($DATA[i], 3) > 0 ? 0xb34700 : TEXT
eval 'set label 1 TTEXT at first TARGET,graph 1 '.(TARGET > 0.5 * MOST ? 'right' : 'center').\
  ' offset 0,0.7 tc rgb 0x00664b font font(0.9)'
set arrow 1 from TARGET,graph 0 to TARGET,graph 1 nohead ls 4
PRICED = COLS < 100 ? '$/hour' : '$/hour, all ranks'
set label 2 PRICED at screen 1 - RIGHT / COLS,graph 1 right offset 0,0.7 tc rgb MUTED font font(0.9)
HEADED = HOSTED ? 'hosts' : ''
set label 6 HEADED at screen 1 - 11 / COLS,graph 1 right offset 0,0.7 tc rgb MUTED font font(0.9)
set label 3 'loaders' at screen 1 - 2 / COLS,graph 1 right offset 0,0.7 tc rgb MUTED font font(0.9)
do for [i=1:N] {
  INKED = ink(i)
  set ytics add (INAME[i] i - 1)
  set label 200+3*i PRICE[i] at screen 1 - RIGHT / COLS,first i-1 right tc rgb INKED font font(0.9 * K)
  HOSTTEXT = HOSTED ? HOSTS[i] : ''
  set label 201+3*i HOSTTEXT at screen 1 - 11 / COLS,first i-1 right tc rgb INKED font font(0.9 * K)
  set label 202+3*i COUNT[i] at screen 1 - 2 / COLS,first i-1 right tc rgb INKED font font(0.9 * K)
}
set label 5 LISTED at screen 0,0 left offset 1.5,0.4+0.9*lines(LISTED) tc rgb TEXT font font(0.85)
MORE = N < ALL ? sprintf('and %d more', ALL - N) : ''
set label 4 MORE at screen 1,BOTTOM right offset -1.5,-2.2 tc rgb MUTED font font(0.85)
# The number is left of its point, or right of it if the target or the frame is close.
left(f) = f > 0.15 * MOST && !(f >= TARGET && f < TARGET + 0.12 * MOST)
plot DATA every ::::N-1 using (0):0:1:(0) with vectors nohead lw 2*S lc rgb 0xc8d4dc, \
     DATA every ::::N-1 using 1:0:($3 > 0 ? RED : $2 > 0 ? GREEN : BLUE) with points \
       pt 7 ps 1.5*K*P lc rgb variable, \
     DATA every ::::N-1 using (left($1) ? $1 : NaN):0:(num($1)) with labels \
       right offset -1,0 font font(0.8 * K) tc rgb TEXT boxed bs 1, \
     DATA every ::::N-1 using (left($1) ? NaN : $1):0:(num($1)) with labels \
       left offset 1,0 font font(0.8 * K) tc rgb TEXT boxed bs 1
