# fit.gp: measured times and the distribution that was fitted: the share at or below.
#
# Slots: those of style.gp; DATA (time, measured share in %, fitted share in %), NAME (of the distribution).
set yrange [0:103]
set format y '%h %%'
set ytics 25
set ylabel 'Share at or below'
set rmargin 3
eval KEY
# The names stand on the side away from the points.
array SIDE[2]
do for [i=1:2] {
  eval tell('M', 'DATA using ($2 <= '.word('50 99', i).' ? $1 : NaN)')
  SIDE[i] = M_records > 0 && part(M_max) > 0.5 ? '0.01' : '0.99'
}
eval "set label 1 'median' at graph ".SIDE[1].",first 50 ".(SIDE[1] eq '0.01' ? 'left' : 'right')." offset 0,0.6 tc rgb MUTED font font(0.9)"
eval "set label 2 '99 %' at graph ".SIDE[2].",first 99 ".(SIDE[2] eq '0.01' ? 'left' : 'right')." offset 0,-0.7 tc rgb MUTED font font(0.9)"
plot 50 with lines lw 0.8*S lc rgb MUTED dt (2*D,3*D), 99 with lines lw 0.8*S lc rgb MUTED dt (2*D,3*D), \
     DATA using 1:3 with lines lw 2.2*S lc rgb AMBER title NAME, \
     DATA using 1:2 with points pt 7 ps 0.9*P lc rgb BLUE title 'measured'
