# rhythm.gp: the wait of every step, and below it how waits repeat.
#
# Slots: those of style.gp; DATA (batch, wait), XNAME (of the batches), YNAME (of the waits), ALARM (a wait above it is
# orange; 1e300: none), MEAN, MTEXT, FIRST (1: the first wait may be cut), FTEXT, ACF (lag, autocorrelation; one row of
# 0: none), BAND (half of the width that chance explains; 0: none), PERIOD (0: none), PTEXT, EMPTY (why there is no
# autocorrelation; '').
# D: waits, B: all but the first, X: batches, A: lags, C: autocorrelation.
eval tell('D', 'DATA using 2')
eval tell('B', 'DATA every ::1 using 2')
eval tell('X', 'DATA using 1')
eval tell('A', 'ACF using 1')
eval tell('C', 'ACF using 2')
# CUT: the first wait is cut at T, the upper end of the axis.
CUT = FIRST && B_records > 0 && B_max > 0 && D_max > 1.5 * B_max
T = (CUT ? B_max : D_max) * 1.12
T = T > MEAN * 1.12 ? T : MEAN * 1.12
T = T > 0 ? T : 1
SMALL = ROWS < 26                                # a column of a paper: few lines, and short ones
if (SMALL) {
  set label 102 wrap(SUBTITLE, int(WIDE / 0.9) - 4, 1)
  HEAD = HEAD - (lines(_s) > 1 ? 0.95 * (lines(_s) - 1) : 0)
  PTEXT = PTEXT[1:15].PTEXT[29:*]                # without "of the waits"
}
BOTTOM = (SMALL ? 3 : 3.4) / ROWS
TOP = 1 - (HEAD + 1) / ROWS
SPLIT = BOTTOM + 0.42 * (TOP - BOTTOM)
set lmargin 9
set rmargin 3
set multiplot
set tmargin at screen TOP
set bmargin at screen SPLIT + (SMALL ? 1.4 : 2.6) / ROWS
set xrange [X_min-0.012*(X_max-X_min)-0.5:X_max+0.5]
set yrange [0:T]
YT = step(T, 0.42 * (ROWS - HEAD) / 2.2)
set ytics YT
set label 1 YNAME at graph 0,1 left offset (SMALL ? -7 : 0),0.6 tc rgb TEXT font font(0.9)
set label 2 (CUT ? FTEXT : '') at X_min,T left offset 1,-0.6 front tc rgb RED font font(0.85) boxed bs 1
set label 3 MTEXT at graph 1,first MEAN right offset 0,0.6 front tc rgb INK font font(0.85) boxed bs 1
set label 4 (SMALL ? '' : XNAME) at graph 1,0 right offset 0,-2.3 tc rgb INK
plot DATA using 1:($2 > ALARM ? 0 : $2) with impulses lw (D_records > 500 ? 1 : 2)*S lc rgb BLUE, \
     DATA using 1:($2 > ALARM ? ($2 > T ? T : $2) : 0) with impulses lw (D_records > 500 ? 1 : 2)*S lc rgb RED, \
     MEAN with lines lw 1.2*S lc rgb INK dt (5*D,4*D), \
     '+' using (CUT ? X_min : -1e9):(T) every ::::0 with points pt 9 ps 1.4*P lc rgb RED
unset label
set tmargin at screen SPLIT - (SMALL ? 1.5 : 1.6) / ROWS
set bmargin at screen BOTTOM
set xrange [0.5:A_max+0.5]
set yrange [(C_min < -0.25 ? C_min * 1.15 : -0.25):1.15]
set ytics -1,(SMALL ? 1 : 0.5)
XT = PERIOD > 0 && PERIOD * 30 > A_max ? PERIOD : ceil(step(A_max, COLS / 6.))
set xtics 0,XT
if (SMALL) { set label 4 'Lag (batches)' at graph 0,0 left offset -7,-2.2 tc rgb INK } else { set xlabel 'Lag (batches)' }
set label 1 PTEXT at graph 0,1 left offset (SMALL ? -7 : 0),0.6 tc rgb TEXT font font(0.9)
set label 2 EMPTY at graph 0.5,0.5 center tc rgb TEXT
set label 3 (BAND > 0 ? sprintf('gray: 95 %% of independent waits (± %.2g)', BAND) : '') at graph 1,(SMALL ? 0 : 1) right offset 0,(SMALL ? -2.2 : 0.6) tc rgb MUTED font font(0.85)
set object 1 rect from graph 0,first -BAND to graph 1,first BAND behind fc rgb 0xececec fs solid 1 noborder
repeats(l) = PERIOD > 0 && l > 0 && int(l) % int(PERIOD > 0 ? PERIOD : 1) == 0
plot ACF using 1:(repeats($1) ? 0 : $2) with impulses lw 2.5*S lc rgb BLUE, \
     ACF using 1:(repeats($1) ? $2 : 0) with impulses lw 3.5*S lc rgb RED, \
     0 with lines lw S lc rgb TEXT
unset multiplot
