# waits.gp: how much each window of a run waits; below it each wait on a logarithmic axis; beside them, of waits by
# their length, the share of the iterations and the share of the time waited.
#
# Slots: those of style.gp; DATA (iteration, wait), NAME (what is drawn of it), LEVEL (up to it a wait is none), LNAME,
# TIME (a unit), SECOND (of it), STEP (a step; NaN: unknown), SNAME; WINDOWS (from, to, share in % or mean wait), SHARES
# (1: shares), MEAN (of all), WNAME; PHASES (iterations at which the run changes); CLASSES (share of the iterations in
# %, of the time in %, iterations; no row: unknown), CNAME[].
eval tell('D', 'DATA using ($2 > LEVEL ? $2 : NaN)')
eval tell('V', 'WINDOWS using 3')
BY = |$CLASSES| > 0
RIGHT = BY ? (COLS > 100 ? 32 : 23) : 2                 # of the page's characters
BOTTOM = 3.4 / ROWS
TOP = 1 - (HEAD + 1.2) / ROWS
GAP = 2.2 / ROWS
SPLIT = BOTTOM + 0.5 * (TOP - BOTTOM)
LEFT = 9 / COLS
EDGE = 1 - RIGHT / COLS
FITS = int((EDGE - LEFT) * WIDE / 0.9) - 1              # characters of a panel's name
named(s) = strlen(s) > FITS ? wrap(s, FITS, 2) : s
HEADING = "set label 3 named(SAID) at graph 0,1 left offset 0,0.7+0.9*(lines(named(SAID))-1) tc rgb TEXT font font(0.9)"
LOW = LEVEL > 0 ? LEVEL : D_max > 0 ? D_max / 1e4 : 0.1
LOW = D_min > 3 * LOW && D_max < 20 * D_min ? (STEP < D_min ? STEP : D_min) / 3. : LOW
WHAT = NAME.(LNAME ne '' ? ' ('.LNAME.')' : ', log scale').(STEP == STEP && STEP > LOW ? '; dashed: '.SNAME : '')
TALLER = (lines(named(WNAME)) > 1 || lines(named(WHAT)) > 1) ? 1 / ROWS : 0
TOP = TOP - TALLER
GAP = GAP + TALLER
set multiplot
set lmargin at screen LEFT
set rmargin at screen EDGE
set xrange [XL:XR]
set tmargin at screen TOP
set bmargin at screen SPLIT + GAP / 2
set format x ''
unset xlabel
HIGH = 1.25 * (V_max > 0 ? V_max : 1)
HIGH = SHARES && HIGH > 112 ? 112 : HIGH
set yrange [0:HIGH]
YT = step(HIGH, (SPLIT - BOTTOM) * ROWS / 2.5)
YE = SHARES && HIGH > 100 ? 100 : HIGH
set ytics 0,YT,YE
set format y (SHARES ? '%h %%' : '%h '.TIME)
SAID = WNAME
eval HEADING
do for [k=1:|$PHASES|] {
  AT = field($PHASES[k], 1)
  set arrow 10+k from AT,graph 0 to AT,graph 1 nohead front lw 1.2*S lc rgb INK dt (2*D,3*D)
}
WORDS = (EDGE - LEFT) * COLS / |$WINDOWS| > 3.5         # there is room for a number on each box
plot WINDOWS using (($1+$2)/2):($3/2):($1+0.04*($2-$1)):($2-0.04*($2-$1)):(0):3 with boxxyerror fc rgb 0x9db8cc, \
     MEAN with lines lw 1.2*S lc rgb INK dt (3*D,3*D), \
     WINDOWS using (WORDS ? ($1+$2)/2 : 1e300):3:(sprintf($3 < 9.95 ? '%.1f' : '%.0f', $3)) with labels \
       offset 0,0.75 font font(0.8) tc rgb INK boxed bs 1
# Each wait: labels in the unit that suits each.
set label 102 ''
set label 101 ''
END = 1.6 * (STEP == STEP && !(STEP <= D_max) ? STEP : D_records > 0 ? D_max : 10 * LOW)
timed(t) = t < 0.999e-3 ? sprintf('%g µs', 1e6 * t) : t < 0.999 ? sprintf('%g ms', 1e3 * t) : sprintf('%g s', t)
set format x '%h'
set xlabel XLABEL
set tmargin at screen SPLIT - GAP / 2
set bmargin at screen BOTTOM
set yrange [LOW:END]
set logscale y 10
unset mytics
DECADES = log10(END / LOW)
SKIP = ceil(2 * DECADES / ((SPLIT - BOTTOM) * ROWS - 2))
LABELS = 0
do for [try=1:4] {                                       # finer until there are two
  if (LABELS < 2) {
    set ytics ()
    LABELS = 0
    SKIP = try > 1 ? 1 : SKIP
    do for [k=floor(log10(LOW / SECOND)):ceil(log10(END / SECOND))] {
      do for [m in (try == 4 ? '1 1.2 1.4 1.7 2 2.5 3 4 5 6 7 8 9' : try == 3 || DECADES < 1.2 ? '1 2 5' : '1')] {
        X = m * 10.**k
        if (k % SKIP == 0 && X * SECOND >= LOW && X * SECOND <= END) {
          set ytics add (timed(X) X * SECOND)
          LABELS = LABELS + 1
        }
      }
    }
  }
}
SAID = WHAT
eval HEADING
long(w) = STEP == STEP && w > STEP
drawn(w) = w > LEVEL && w >= LOW
SIZE = (D_records > 300 ? 0.6 : 0.9) * P
plot STEP with lines ls 4, \
     DATA using 1:(drawn($2) && !long($2) ? $2 : NaN) with points pt 7 ps SIZE lc rgb BLUE, \
     DATA using 1:(drawn($2) && long($2) ? $2 : NaN) with points pt 7 ps SIZE lc rgb RED
if (BY) {
  unset logscale y
  unset label
  unset arrow
  unset grid
  set border 0
  unset xlabel
  unset xtics
  unset ytics
  set lmargin at screen EDGE + 3 / COLS
  set rmargin at screen 1 - 7 / COLS
  set tmargin at screen TOP
  set xrange [0:100]
  set yrange [3.75:-0.65]
  set label 3 '■' at graph 0,1 left offset 0,0.7 tc rgb 0x9db8cc
  set label 4 'iterations' at graph 0,1 left offset 1.6,0.7 tc rgb TEXT font font(0.85)
  set label 5 '■' at graph 0,1 left offset 9.3,0.7 tc rgb RED
  set label 6 'time lost' at graph 0,1 left offset 10.9,0.7 tc rgb TEXT font font(0.85)
  do for [k=1:4] { set label 10+k CNAME[k] at 0,k-1.42 left tc rgb TEXT font font(0.85) }
  few(v) = v > 0 && v < 0.95 ? '%.1f %%' : '%.0f %%'
  plot CLASSES using ($1/2):($0-0.1):(0):1:($0-0.23):($0+0.04) with boxxyerror fc rgb 0x9db8cc, \
       CLASSES using ($2/2):($0+0.2):(0):2:($0+0.07):($0+0.34) with boxxyerror fc rgb RED, \
       CLASSES using 1:($0-0.1):(sprintf(few($1), $1)) with labels left offset 0.5,0 font font(0.8) tc rgb INK, \
       CLASSES using 2:($0+0.2):(sprintf(few($2), $2)) with labels left offset 0.5,0 font font(0.8) tc rgb INK
}
unset multiplot
