# ranks.gp: the mean wait of each rank with its interval, slow ones in orange.
#
# Slots: those of style.gp; DATA (rank, wait, 1: slow, low, high), YLABEL, MEDIAN, MTEXT, SLOW (1: there are slow ones).
eval tell('D', 'DATA using 2')
eval tell('H', 'DATA using 5')
T = 1.15 * (H_records > 0 && H_max > D_max ? H_max : D_max)
set yrange [0:T]
YT = step(T, ROWS > 30 ? 7 : 4)
set ytics YT
set ylabel YLABEL
set rmargin 3
set xrange [XMIN-0.7:XMAX+0.7]
eval KEY
set label 1 MTEXT at graph 1,first MEDIAN right offset 0,0.6 front tc rgb INK font font(0.9) boxed bs 1
plot DATA using 1:($2/2):($1-0.38):($1+0.38):(0):2:($3 > 0 ? RED : BLUE) with boxxyerror lc rgb variable, \
     DATA using 1:4:(0):($5-$4) with vectors heads size graph 0.005,90 lw 1.4*S lc rgb INK title '95 % interval', \
     MEDIAN with lines lw 1.2*S lc rgb INK dt (5*D,4*D), \
     NaN with boxes lc rgb RED title (SLOW ? 'slow' : '')
