# fit.gp: measured times and the distribution that was fitted: the share at or below.
#
# Slots: those of style.gp; DATA (time, measured share in %, fitted share in %), NAME (of the distribution),
# BEYOND (what lies right of the axis; '': nothing).
set yrange [0:103]
set format y '%h %%'
set ytics 0,25,75
set ytics add ('99 %%' 99)
set ylabel 'Share at or below'
set rmargin 3
eval KEY
set label 1 BEYOND at graph 0.99,first 8 right tc rgb BLUE font font(0.9)
plot 50 with lines lw 0.8*S lc rgb MUTED dt (2*D,3*D), 99 with lines lw 0.8*S lc rgb MUTED dt (2*D,3*D), \
     DATA using 1:3 with lines lw 2.2*S lc rgb AMBER title NAME, \
     DATA using 1:2 with points pt 7 ps 0.9*P lc rgb BLUE title 'measured'
