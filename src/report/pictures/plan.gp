# plan.gp: the planned figure over the quantity that is solved for, with target, answer and rules of thumb; below it a
# panel each for cost, rate of a rank and memory, if they are known.
#
# Slots: those of style.gp; DATA (x, figure, low, high, bound, then a column for each panel), SHARE (1: the figure is in
# %), FIGURE (its name), TARGET, TTEXT, PANELS (their number) with PNAME[] ("... (B)": of bytes), MARKED (x, figure,
# 1: the answer; ascending) with MNAME[], AX (of the answer), ZONES (from, to, 1: out of reach, 2: no room), named UNREACHED and
# FULL.
# H: upper ends of the intervals, V: figures, C: of a panel below.
eval tell('H', 'DATA using 4')
eval tell('V', 'DATA using 2')
array HIGH[PANELS + 1]
array UNIT[PANELS + 1]
do for [i=1:PANELS] {
  eval tell('C', 'DATA using (column(5+i))')
  NAME = PNAME[i]
  K = NAME[strlen(NAME)-2:*] eq '(B)' && C_max >= 1e3 ? floor(log10(C_max) / 3 + 1e-12) : 0
  K = K > 4 ? 4 : K
  UNIT[i] = 1e3**K
  HIGH[i] = C_max / UNIT[i]
  PNAME[i] = K > 0 ? NAME[1:strlen(NAME)-2].word('KB MB GB TB', K).')' : NAME
}
MOST_PANELS = int((ROWS - HEAD - 12) / 6)
PANELS = MOST_PANELS > PANELS ? PANELS : MOST_PANELS > 1 ? MOST_PANELS : PANELS > 0 ? 1 : 0 # there is no room for more
n = 1 + PANELS
BOTTOM = 3.4 / ROWS
TOP = 1 - (HEAD + 1) / ROWS
GAP = 2 / ROWS
SMALL = n == 1 ? 0 : (TOP - BOTTOM) * (n == 2 ? 0.30 : n == 3 ? 0.23 : 0.18)
# The edges of panel i: 1 is the chart, 2 to n those below it.
top(i) = i == 1 ? TOP : BOTTOM + (n - i + 1) * SMALL - GAP
low(i) = i == n ? BOTTOM : BOTTOM + (n - i) * SMALL
set lmargin 10
set rmargin 2
# largest(): the largest of 1, 2, 5 times a power of ten that is at most r.
largest(r) = (_u = 10.**floor(log10(r)), r < 2 * _u ? _u : r < 5 * _u ? 2 * _u : 5 * _u)
MOST = H_records > 0 && H_max > V_max ? H_max : V_max
MOST = SHARE ? 100 : MOST > TARGET ? MOST : TARGET

# SPOT of the target's name: left or right (even), above or below the target (3, 4): the first spot that neither figure
# nor bound nor answer crosses; 5: above the panel. hit() is called for the points of a line in order; _p, _q: the last.
LINE = 1.09 * MOST / ((top(1) - low(1)) * ROWS)
LONG = (strlen(TTEXT) + 1.5) / (COLS - 11)
least(a, b) = a < b ? a : b
hit(p, v) = (_p = column(0) == 0 ? NaN : _p, _q = column(0) == 0 ? NaN : _q, \
    _h = least(_p, p) < LEFT + LONG && _p + p - least(_p, p) > LEFT && least(_q, v) < LOW + 1.1 * LINE && \
    _q + v - least(_q, v) > LOW, _p = p, _q = v, _h)
SPOT = 5
do for [k=1:4] {
  if (SPOT == 5) {
    LEFT = k % 2 ? 0 : 1 - LONG
    LOW = TARGET + (k < 3 ? 0 : -1.1 * LINE)
    CLEAR = !(AX == AX && part(AX) > LEFT && part(AX) < LEFT + LONG)
    do for [c in '2 5'] {
      eval tell('K', 'DATA using (hit(part($1), column('.c.')))')
      CLEAR = CLEAR && !(K_max > 0)
    }
    SPOT = CLEAR ? k : 5
  }
}
# Numbers in the panels below: at the answer, and at marked counts that are not close to it.
marked(x) = (sum [k=1:|$MARKED|] (field($MARKED[k], 1) == x)) > 0
told_at(x) = x == AX || (marked(x) && !(abs(part(x) - part(AX)) * (COLS - 11) < 7))
set multiplot
do for [i=1:n] {
  set tmargin at screen top(i)
  set bmargin at screen low(i)
  set format x (i == n ? '%h' : '')
  if (i < n) {
    set for [k=1:XTICS] xtics add ('' XTIC[k])
  } else {
    set for [k=1:XTICS] xtics add (sprintf('%.6g', XTIC[k]) XTIC[k])
  }
  set xlabel (i < n ? '' : XLOG ? logged(XLABEL) : XLABEL)
  unset label
  unset arrow
  unset object
  if (i == 1) {
    set label 101 _t at screen 0,1 offset character 1.5,-1.3 front font font(1.35) tc rgb INK
    set label 102 _s at screen 0,1 offset character 1.5,-1.5-1.35*lines(_t) front font font(0.9) tc rgb MUTED
    set format y (SHARE ? '%h %%' : '%h')
    set yrange [0:1.09*MOST]
    YT = SHARE ? (ROWS > 30 && n < 4 ? 20 : 50) : step(MOST, 5)
    set ytics YT
    eval 'set label 1 TTEXT at '.(SPOT == 5 ? 'graph 1,graph 1 right offset 0,' : SPOT % 2 ? 'graph 0,first TARGET left offset 0.5,' : \
      'graph 1,first TARGET right offset -0.5,').(SPOT == 3 || SPOT == 4 ? '-0.6' : '0.6').' front tc rgb GREEN font font(0.85)'
    set label 2 FIGURE.', thin line: what the bounds allow' at graph 0,1 left offset 0,0.6 tc rgb TEXT font font(0.9)
    do for [k=1:|$ZONES|] {
      A = inside(field($ZONES[k], 1))
      B = inside(field($ZONES[k], 2))
      ZNAME = field($ZONES[k], 3) == 1 ? UNREACHED : FULL
      FILLED = field($ZONES[k], 3) == 1 ? 0xf3f3f3 : 0xfbe9e1
      set object 10+k rect from A,graph 0 to B,graph 1 behind fc rgb FILLED fs solid 1 noborder
      if (between(A, B) > 0.9 * strlen(ZNAME)) {
        set label 10+k ZNAME at middle(A, B),graph 0.05 center font font(0.8) tc rgb MUTED
      } else {
        # The name of a narrow zone begins in the zone, where the line is far above.
        eval 'set label 10+k ZNAME at '.(middle(A, B) < middle(XL, XR) ? 'A,graph 0.05 left offset 0.3,0' : \
          'B,graph 0.05 right offset -0.3,0').' front font font(0.8) tc rgb MUTED'
      }
    }
    # The answer and the rules of thumb: their names are right of their points and below the line, which rises;
    # names of points far to the right are left of these. Each name has its own line.
    # MY: the heights of the names; ENDS, BEGINS: their right and left ends in characters.
    M = |$MARKED|
    array MY[M + 1]
    LINE = 1.25 * 1.09 * MOST / ((top(1) - low(1)) * ROWS)
    FAR = M + 1                                         # the first far to the right
    do for [k=M:1:-1] { FAR = part(field($MARKED[k], 1)) > 0.6 ? k : FAR }
    Y = 1e300
    do for [k=FAR-1:1:-1] {
      Y = least(Y - LINE, field($MARKED[k], 2) - 1.5 * LINE)
      MY[k] = Y
    }
    ENDS(k) = part(field($MARKED[k], 1)) * (COLS - 12) + 0.95 * strlen(MNAME[k]) + 2.2
    BEGINS(k) = part(field($MARKED[k], 1)) * (COLS - 12) - 0.95 * strlen(MNAME[k]) - 2.2
    Y = 1e300
    do for [k=1:FAR-1] {
      do for [j=FAR:M] { Y = ENDS(k) > BEGINS(j) ? least(Y, MY[1]) : Y }
    }
    do for [k=FAR:M] {
      Y = least(Y - LINE, field($MARKED[k], 2) - 1.5 * LINE)
      MY[k] = Y
    }
    do for [k=1:M] {
      MX = field($MARKED[k], 1)
      Y = 0.06 * MOST + (k < FAR ? k - 1 : M - k) * LINE
      MY[k] = MY[k] < Y ? Y : MY[k]
      INKED = field($MARKED[k], 3) > 0 ? 0xb34700 : INK
      AWAY = (k < FAR ? 2. : -2.) * (XR - XL) / COLS
      set arrow 20+k from MX+(XLOG ? 0 : AWAY),MY[k] to MX,field($MARKED[k], 2) nohead lw S lc rgb INKED
      eval 'set label 20+k MNAME[k] at MX,MY[k] offset character '.(k < FAR ? '2.2,0 left' : '-2.2,0 right').\
        ' front tc rgb INKED font font(0.9) boxed bs 1'
    }
    plot TARGET with lines ls 4, \
         DATA using 1:($5 < 1.09 * MOST ? $5 : NaN) with lines ls 2 lw 0.8*S, \
         DATA using 1:3:4 with filledcurves fc rgb BLUE fs transparent solid 0.25, \
         DATA using 1:2 with linespoints ls 1, \
         MARKED using 1:($3 > 0 ? NaN : $2) with points pt 5 ps 1.4*P lc rgb INK, \
         MARKED using 1:($3 > 0 ? $2 : NaN) with points ls 5
  } else {
    c = 4 + i
    set format y '%h'
    set label 9 PNAME[i-1] at graph 0,1 left offset 0,0.6 tc rgb TEXT font font(0.9)
    set yrange [0:1.45*HIGH[i-1]]
    YT = SMALL * ROWS < 6 ? largest(1.2 * HIGH[i-1]) : step(1.2 * HIGH[i-1], 2.5)
    # YE: the last tic.
    YE = SMALL * ROWS < 6 ? YT : 2 * HIGH[i-1]
    set ytics 0,YT,YE
    plot DATA using 1:(column(c) / UNIT[i-1]) with lines lw 2.2*S lc rgb INK, \
         DATA using ($1 == AX ? $1 : NaN):(column(c) / UNIT[i-1]) with points ls 5, \
         DATA using (marked($1) && $1 != AX ? $1 : NaN):(column(c) / UNIT[i-1]) with points pt 5 ps 1.2*P lc rgb INK, \
         DATA using (told_at($1) ? $1 : NaN):(column(c) / UNIT[i-1]):(num(column(c) / UNIT[i-1])) with labels \
           offset 0,0.9 font font(0.8) tc rgb INK boxed bs 1
  }
}
unset multiplot
