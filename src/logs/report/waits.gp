# waits.gp: the waits of a run, longer ones than a step in orange, and the mean of stretches.
#
# Slots: those of style.gp; DATA (iteration, wait, mean), MEANS (as many means of stretches are drawn; 0: none), YLABEL,
# STEP (a wait from which on it is orange; 1e300: none), MEAN, MTEXT, FIRST (1: the first wait towers above all others),
# FTEXT, NAME (of what is drawn), SNAME (of the orange ones), LNAME (of the means).
eval tell('D', 'DATA using 2')
eval tell('B', 'DATA every ::1 using 2')
CUT = FIRST && B_records > 0 && B_max > 0 && D_max > 1.5 * B_max
T = (CUT ? B_max : D_max) * 1.12
T = T > 0 ? T : 1
set yrange [0:T]
YT = step(T, ROWS > 30 ? 7 : 4)
set ytics YT
set ylabel YLABEL
set rmargin 3
eval KEY
set label 1 MTEXT at graph 1,first MEAN right offset 0,0.6 front tc rgb INK font font(0.9) boxed bs 1
if (CUT) { set label 2 FTEXT at XMIN,T left offset 1.2,-0.7 front tc rgb RED font font(0.85) boxed bs 1 }
# A row's stretch of the run as its middle: smooth unique takes means of what stands at one place.
stretch(i) = XMIN + (XMAX - XMIN) * (floor(i * MEANS / D_records) + 0.5) / MEANS
THICK = (D_records > 500 ? 1.5 : 2) * S
plot DATA using 1:($2 > STEP ? NaN : $2) with impulses lw THICK lc rgb BLUE title NAME, \
     DATA using 1:($2 > STEP ? ($2 > T ? T : $2) : NaN) with impulses lw THICK lc rgb RED title SNAME, \
     DATA using (MEANS > 0 ? stretch($0) : 1e300):3 smooth unique with lines lw 2.2*S lc rgb AMBER title LNAME, \
     MEAN with lines lw 1.2*S lc rgb INK dt (5*D,4*D), \
     '+' using (CUT ? XMIN : 1e300):(T) every ::::0 with points pt 9 ps 1.4*P lc rgb RED
