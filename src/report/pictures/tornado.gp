# tornado.gp: what a fifth less and a fifth more of each parameter does to the throughput: two bars with their intervals
# for each, the largest first.
#
# Slots: those of style.gp; DATA (gain, low, high, in %, 1: proven, of less, then the same of more), NAMES, DOWN and UP
# (the values as texts).
ALL = |$DATA|
N = ROWS > 12 && ALL > (ROWS - 9) / 1.6 ? floor((ROWS - 9) / 1.6) : ROWS <= 12 && ALL > 3 ? 3 : ALL
# A, B: the ends of the intervals for less, C, E: for more, low and high; D: gains that need a decimal.
eval tell('A', 'DATA every ::::N-1 using 2')
eval tell('B', 'DATA every ::::N-1 using 3')
eval tell('C', 'DATA every ::::N-1 using 6')
eval tell('E', 'DATA every ::::N-1 using 7')
least(a, b) = a == a && !(b < a) ? a : b
most(a, b) = a == a && !(b > a) ? a : b
LO = least(least(A_min, C_min), 0)
HI = most(most(B_max, E_max), 0)
# A text beside each bar: value and gain, on a narrow page the gain alone.
WORDS = COLS > 70
eval tell('D', 'DATA every ::::N-1 using (($4 > 0 && abs($1) < 9.95) || ($8 > 0 && abs($5) < 9.95) ? 1 : NaN)')
gain(g, p) = p == 0 ? 'not proven' : sprintf(abs(g) < 0.05 ? '%+.1g %%' : D_records > 0 ? '%+.1f %%' : '%+.0f %%', g)
said(v, g, p) = WORDS ? v.':  '.gain(g, p) : gain(g, p)
ROOM = (WORDS ? 21. : 9.) / (COLS - 14)
SPAN = (HI - LO) / (1 - 2 * ROOM)
set xrange [LO - ROOM * SPAN:HI + ROOM * SPAN]
set yrange [N - 0.4:-0.6]
set border 1
set grid xtics noytics ls 9
set format x '%+h %%'
set ytics () scale 0
set xlabel 'Change of throughput, 95 % intervals'
set xtics step(SPAN, (COLS - 14) / 8.)
set xtics add ('0' 0)
@KEY
set arrow 1 from 0,graph 0 to 0,graph 1 nohead lw S lc rgb TEXT back
set label 2 (N < ALL ? sprintf('and %d more that change less', ALL - N) : '') at screen 1,0 right offset -1.5,0.8 tc rgb MUTED font font(0.85)
if (N < ALL) { set bmargin 4.2 }
do for [i=1:N] {
  set ytics add (plain(NAMES[i]) i - 1)
  do for [k=0:1] {
    G = field($DATA[i], 1 + 4 * k)
    PROVEN = field($DATA[i], 4 + 4 * k)
    END = G < 0 ? field($DATA[i], 2 + 4 * k) : field($DATA[i], 3 + 4 * k)
    if (G == G) { eval sprintf('set label %d said(%s[%d], G, PROVEN) at END,first %.3f %s offset %d,0 tc rgb %s font font(0.9)', \
      10 + 2 * i + k, k ? 'UP' : 'DOWN', i, i - 1 + (k ? 0.2 : -0.2), G < 0 ? 'right' : 'left', G < 0 ? -1 : 1, PROVEN ? 'INK' : 'MUTED') }
  }
}
bar(k) = k ? 0.2 : -0.2
plot DATA every ::::N-1 using 1:($0+bar(0)):(0):1:($0+bar(0)-0.17):($0+bar(0)+0.17) with boxxyerror fc rgb SKY title 'a fifth less (counts: at least one)', \
     DATA every ::::N-1 using 5:($0+bar(1)):(0):5:($0+bar(1)-0.17):($0+bar(1)+0.17) with boxxyerror fc rgb BLUE title 'a fifth more (counts: at least one)', \
     DATA every ::::N-1 using 1:($0+bar(0)):2:3 with xerrorbars pt 0 lw 1.4*S lc rgb INK, \
     DATA every ::::N-1 using 5:($0+bar(1)):6:7 with xerrorbars pt 0 lw 1.4*S lc rgb INK
