# shares.gp: how many iterations wait no longer than so long, and how much of the waiting they make.
#
# Slots: those of style.gp; DATA (wait, share of the iterations in %, share of the time waited in %), and where the median
# and the mean are marked: MEDIANX, MEDIANY, MEDIANTEXT, MEANX, MEANY, MEANTEXT.
set yrange [0:103]
set format y '%h %%'
set ytics 25
set ylabel 'Share'
set grid xtics ytics ls 9
set rmargin 3
eval KEY
set arrow 1 from MEDIANX,0 to MEDIANX,100 nohead lw 1.2*S lc rgb BLUE dt (3*D,3*D)
set arrow 2 from MEANX,0 to MEANX,100 nohead lw 1.2*S lc rgb INK dt (3*D,3*D)
# To the left from a place on the axis on; right of the median rises its own line.
put(x, p) = (part(x) > p ? ' right offset -0.7,0' : ' left offset 0.7,0').' front font font(0.9) boxed bs 1 tc rgb '
eval 'set label 1 MEDIANTEXT at MEDIANX,MEDIANY'.put(MEDIANX, (strlen(MEDIANTEXT) + 1) / (COLS - 11)).'BLUE'
eval 'set label 2 MEANTEXT at MEANX,MEANY'.put(MEANX, 0.7).'INK'
plot DATA using 1:2 with steps lw 2.4*S lc rgb BLUE title 'iterations that wait no longer', \
     DATA using 1:3 with steps lw 2.4*S lc rgb RED title 'their part of the time waited'
