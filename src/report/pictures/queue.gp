# queue.gp: the share of the time in which n batches are ready, and in which n are held behind a late one.
#
# Slots: those of style.gp; DATA (n, share of the time with n ready, with n held, both in %), HELD (1: some are held), HNAME,
# RNAME (names of the two shares).
# D: ready, H: held.
eval tell('D', 'DATA using 2')
eval tell('H', 'DATA using 3')
TOP = HELD && H_max > D_max ? H_max : D_max
YT = step(1.08 * TOP, ROWS > 30 ? 7 : 4)
set yrange [0:1.08 * TOP]
set xrange [-0.7:XMAX + 0.7]
set ytics YT
set format y '%h %%'
set ylabel 'Share of the time'
set rmargin 3
eval KEY
WIDTH = HELD ? 0.4 : 0.8
plot DATA using ($1 - (HELD ? WIDTH / 2 : 0)):($1 > 0 ? $2 : NaN):(WIDTH) with boxes fc rgb BLUE title RNAME, \
     DATA using ($1 - (HELD ? WIDTH / 2 : 0)):($1 > 0 ? NaN : $2):(WIDTH) with boxes fc rgb RED, \
     DATA using ($1 + WIDTH / 2):(HELD ? $3 : NaN):(WIDTH) with boxes fc rgb AMBER title (HELD ? HNAME : '')
