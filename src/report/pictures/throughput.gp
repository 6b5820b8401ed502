# throughput.gp: throughput over one axis: its bounds, the simulation, and regions named by what limits it.
#
# Slots: those of style.gp; DATA (x, upper bound, lower bound, throughput, low, high), REGIONS ("name", from, to, index
# in GROUND and LETTERS, from 0), YLABEL, VTEXT (the throughput's name), LX, LY, LTEXT
# (the lower bound's; NaN: none), STEP (the step's rate; NaN: no step), STEPTEXT, TARGET (a share of STEP).
# V: throughput, I: the upper ends of its intervals, B: their widths.
eval tell('V', 'DATA using 4')
eval tell('I', 'DATA using 6')
eval tell('B', 'DATA using ($6-$5)')
V_max = I_records > 0 && I_max > V_max ? I_max : V_max
T = 1.22 * (STEP < 1.6 * V_max ? STEP : V_max)
T = T > 0 ? T : 1
YT = step(T, ROWS > 30 ? 7 : 4)
set ytics YT
if (T > 1e4) {                                           # "20 k"
  K = int(log10(T) / 3)
  set ytics ()
  do for [i=0:int(T / YT)] { set ytics add (sprintf('%g %s', i * YT / 1e3**K, word('k M G T', K)) i * YT) }
}
set ylabel YLABEL
set rmargin 2

# Names are beside their lines; an interval too thin to be seen is not named.
NAMED = B_records > 0 && B_max > 0.01 * T ? VTEXT.', 95 % interval' : VTEXT
# The name is above the throughput or below it, at the first place from the left where neither another line passes nor
# the name of the configured value is.
# before(x): a name that ends at VX stands over x, or ends one point from it; behind(x): a name that begins at VX stands
# over x; after(x): or ends one point from it. under(x, y), over(x, y): y where it runs through a name below or above
# (VX,VY), else nothing; met(y): whether a level line at y runs through a name above.
line = T / (ROWS - HEAD - 3)                             # of text
room(s) = (strlen(s) + 1) / (COLS - 11)
before(x) = x <= VX && part(x) > part(VX) - room(NAMED) - part(XMAX) / (V_records > 1 ? V_records - 1 : 1)
behind(x) = x > VX && part(x) < part(VX) + room(NAMED)
after(x) = x > VX && part(x) < part(VX) + room(NAMED) + part(XMAX) / (V_records > 1 ? V_records - 1 : 1)
under(x, y) = behind(x) && y > VY - 1.9 * line && y < VY - 0.2 * line ? y : NaN
met(y) = y > VY && y < VY + 1.6 * line
over(x, y) = (x == VX || behind(x)) && y > VY + 0.2 * line && y < VY + 1.9 * line ? y : NaN
PLACE = ''
FALLS = 0
do for [k=0:4] {
  if (PLACE eq '') {
    I = int((0.3 + 0.08 * k) * (V_records - 1))
    eval tell('P', 'DATA every ::I::I using 1')
    eval tell('Q', 'DATA every ::I::I using 4')
    VX = P_min
    VY = Q_min
    eval tell('U', 'DATA using (before($1) ? $2 : NaN)')
    eval tell('N', 'DATA using (after($1) ? $4 : NaN)')
    eval tell('O', 'DATA using (under($1, $3))')
    eval tell('R', 'DATA using (over($1, $2))')
    FALLS = N_records > 0 && N_max < VY
    CLEAR = !met(STEP) && !met(TARGET * STEP) && !(VY > 0.9 * STEP)
    ABOVE = V_records > 3 && !(U_min <= VY + 2 * line) && part(VX) > room(NAMED) && !met(STEP) && !met(TARGET * STEP)
    PLACE = FALLS ? (k < 4 && (!CLEAR || R_records > 0) ? '' : 'left offset 0.7,0.9') : ABOVE ? 'right offset -0.5,0.9' : (O_records > 0 || VX == NX) && k < 4 ? '' : 'left offset 0.7,-1'
  }
}
if (!(STEP < T)) {
  # If the step's line is out of range, the upper bound has a name: at its steep end, on the side away from the line.
  eval tell('X', 'DATA using 1')
  eval tell('G', 'DATA using ($2 < 0.85 * T ? $1 : NaN)')
  if (G_records > 0) {
    RISES = G_min == X_min
    GX = RISES ? G_max : G_min
    eval tell('H', 'DATA using ($1 == GX ? $2 : NaN)')
    UPPER = 'upper bound'
    if ((RISES ? part(GX) : 1 - part(GX)) > room(UPPER)) {
      eval 'set label 7 UPPER at GX,H_max '.(RISES ? 'right offset -0.8,0.55' : 'left offset 0.8,0.55').' font font(0.9) tc rgb INK'
    }
  }
}
set yrange [0:T]                                         # from here on: statistics drop what is outside
eval 'set label 1 NAMED at VX,VY '.PLACE.' front tc rgb BLUE boxed bs 1'
if (LX == LX) {
  eval tell('F', 'DATA using ($1 > LX ? $3 : NaN)')
  eval 'set label 2 LTEXT at LX,LY '.(F_max < LY ? 'right offset -0.5,-0.9' : 'left offset 0.8,-0.9').' font font(0.9) tc rgb MUTED'
}
if (STEP < T) {
  # Where a curve passes right below the target's line, its name stands with the step's.
  LEVEL = sprintf('%.0f %% of it', 100 * TARGET)
  FREE = 1
  do for [column in '2 3 4'] {
    eval tell('C', 'DATA using (part($1) < room(LEVEL) + 0.03 + 1. / V_records ? $'.column.' : NaN)')
    if (C_records > 0 && C_max > TARGET * STEP - 2 * line && C_min < TARGET * STEP) { FREE = 0 }
  }
  STEPTEXT = FREE ? STEPTEXT : STEPTEXT.'; dashed: '.LEVEL
  set label 3 STEPTEXT at graph 0.01,first STEP offset 0,0.65 left front font font(0.9) tc rgb INK
  if (FREE) { set label 4 LEVEL at graph 0.01,first TARGET*STEP offset 0,-0.7 left front font font(0.9) tc rgb GREEN }
}
if (AX == AX) {
  AW = COLS < 80 ? 16 : 28                               # characters of a line
  set arrow 1 from AX,0 to AX,AY nohead front ls 6
  eval 'set label 5 wrap(ATEXT, AW, 4) at AX,0.3*AY offset character '.beside(AX, AW).' front tc rgb RED'
}
eval NOW
# A region too narrow for its name has it above the panel. SAID: the names there; KX: where the next one begins.
SAID = ''
KX = 0.
array GROUND[6] = [0xe3eff7, 0xe2f3ee, 0xfdf0e2, 0xf3f0dc, 0xf1f1f1, 0xf3e9f2]  # of colors by Okabe and Ito, pale and dark
array LETTERS[6] = [0x00507d, 0x00664b, 0x9a4300, 0x6b6000, 0x555555, 0x7a2f6c]
do for [i=1:|$REGIONS|] {
  WHAT = word($REGIONS[i], 1)
  A = inside(field($REGIONS[i], 2))
  B = inside(field($REGIONS[i], 3))
  FILLED = GROUND[int(field($REGIONS[i], 4)) + 1]
  INKED = LETTERS[int(field($REGIONS[i], 4)) + 1]
  set object 10+i rect from A,0 to B,T behind fc rgb FILLED fs solid 1 noborder
  if (strlen(WHAT) * 0.9 < between(A, B)) {
    set label 10+i WHAT at middle(A, B),0.955*T center font font(0.85) tc rgb INKED
  } else {
    ENDS = KX + (1.03 * strlen(WHAT) + 2.5) / (COLS - 11)
    if (!strstrt(SAID, WHAT.';') && ENDS < 1) {
      SAID = SAID.WHAT.';'
      set tmargin HEAD + 1.4
      set object 30+i rect from graph KX,graph 1 + 0.4 * line / T rto graph 1 / (COLS - 11),graph 0.6 * line / T noclip fc rgb FILLED fs solid 1 border lc rgb INKED
      set label 10+i WHAT at graph KX + 1.6 / (COLS - 11),graph 1 left offset 0,0.7 font font(0.85) tc rgb INKED
      KX = ENDS
    }
  }
}
plot DATA using 1:(TARGET*STEP) with lines ls 4, \
     DATA using 1:(STEP) with lines ls 2 lw 0.8*S, \
     DATA using 1:3 with lines ls 3, \
     DATA using 1:($2 < 1.001 * T ? $2 : NaN) with lines ls 2, \
     DATA using 1:5:6 with filledcurves fc rgb BLUE fs transparent solid 0.25, \
     DATA using 1:4 with linespoints ls 1, \
     @MARKS
