# levers.gp: what single changes gain: a point with its interval for each, the largest first.
#
# Slots: those of style.gp; DATA (gain, low, high, all in %; 1: proven) and NAMES, LIMIT (the
# gain at which the step limits; NaN: none), LTEXT.
ALL = |$DATA|
N = ROWS > 12 && ALL > ROWS - 9 ? floor(ROWS - 9) : ROWS <= 12 && ALL > 3 ? 3 : ALL
# G, L: the upper and the lower ends of the intervals.
eval tell('G', 'DATA every ::::N-1 using 3')
eval tell('L', 'DATA every ::::N-1 using 2')
# All gains have as many decimals as the most precise gain needs.
eval tell('D', 'DATA every ::::N-1 using ($4 > 0 && (abs($1) < 9.95 || ($3-$2 >= 0.1 && $3-$2 < 1.9)) ? 1 : NaN)')
gain(p, g) = p == 0 ? 'not proven' : sprintf(D_records > 0 ? '%+.1f %%' : '%+.0f %%', g)
# The axis reaches LIMIT unless that is twice the largest gain or more.
HI = G_max > LIMIT || !(LIMIT < 2 * G_max) ? G_max : LIMIT
HI = HI > 1 ? HI : 1
LO = L_min < 0 ? L_min : 0
set xrange [LO - 0.03 * (HI - LO):HI + 0.04 * (HI - LO)]
set yrange [N - 0.4:-1]
set border 1
set grid xtics noytics ls 9
set format x '%+h %%'
set ytics () scale 0
set xlabel 'Gain in throughput, 95 % intervals'
set rmargin 14
XT = step(HI - LO, (COLS - 40) / 12.)
set xtics XT
set xtics add ('0' 0)
set tmargin HEAD + 1.2
set arrow 1 from 0,graph 0 to 0,graph 1 nohead lw S lc rgb TEXT back
if (LIMIT < HI + 0.04 * (HI - LO)) {
  set arrow 2 from LIMIT,graph 0 to LIMIT,graph 1 nohead ls 4
  eval 'set label 1 LTEXT at LIMIT,graph 1 '.(LIMIT - LO > 0.6 * (HI - LO) ? 'right' : 'left').' offset 0,0.6 tc rgb GREEN font font(0.9)'
}
set label 2 (N < ALL ? sprintf('and %d more that gain less', ALL - N) : '') at screen 1,0 right offset -1.5,0.8 tc rgb MUTED font font(0.85)
if (N < ALL) { set bmargin 4.2 }
ink(p) = p > 0 ? BLUE : 0xa0a0a0
do for [i=1:N] {
  set ytics add (plain(NAMES[i]) i - 1)
  PROVEN = field($DATA[i], 4)
  INKED = PROVEN ? INK : MUTED
  set label 10+i gain(PROVEN, field($DATA[i], 1)) at graph 1,first i-1 left offset 1,0 tc rgb INKED
}
plot DATA every ::::N-1 using (LO):0:(HI*1.04-LO):(0) with vectors nohead lw 0.6*S lc rgb RULE dt (2*D,3*D), \
     DATA every ::::N-1 using (0):0:1:(0):(ink($4)) with vectors nohead lw 2*S lc rgb variable, \
     DATA every ::::N-1 using 1:0:2:3:(ink($4)) with xerrorbars pt 0 lw 1.6*S lc rgb variable, \
     DATA every ::::N-1 using ($4 > 0 ? $1 : 1e30):0 with points pt 7 ps 1.5*P lc rgb BLUE, \
     DATA every ::::N-1 using ($4 > 0 ? 1e30 : $1):0 with points pt 7 ps 1.5*P lc rgb 'white', \
     DATA every ::::N-1 using ($4 > 0 ? 1e30 : $1):0 with points pt 6 ps 1.5*P lw 1.6*S lc rgb 0xa0a0a0
