# shares.gp: how many iterations wait no longer than so long, and how much of the waiting they make.
#
# Slots: those of style.gp; DATA (wait, share of the iterations in %, share of the time waited in %), MEDIAN, MEDTEXT,
# MEAN, MEANTEXT.
set yrange [0:103]
set format y '%h %%'
set ytics 25
set ylabel 'Share'
set grid xtics ytics ls 9
set rmargin 3
eval KEY
set arrow 1 from MEDIAN,0 to MEDIAN,100 nohead lw 1.2*S lc rgb BLUE dt (3*D,3*D)
set arrow 2 from MEAN,0 to MEAN,100 nohead lw 1.2*S lc rgb INK dt (3*D,3*D)
put(i, x, y, text) = 'set label '.i.' '.text.' at '.x.','.y.(part(value(x)) > 0.7 ? ' right offset -0.7,0' : ' left offset 0.7,0').' front font font(0.9) boxed bs 1 tc rgb '
eval put('1', 'MEDIAN', '60', 'MEDTEXT').'BLUE'
eval put('2', 'MEAN', '12', 'MEANTEXT').'INK'
plot DATA using 1:2 with steps lw 2.4*S lc rgb BLUE title 'iterations that wait no longer', \
     DATA using 1:3 with steps lw 2.4*S lc rgb RED title 'their part of the time waited'
