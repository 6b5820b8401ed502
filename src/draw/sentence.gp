# sentence.gp: a sentence that replaces a chart without information. Slots: those of style.gp, SENTENCE.
set label 1 wrap(SENTENCE, int(0.7 * WIDE), 4) at screen 0.5,0.5 center front tc rgb TEXT
unset border
unset tics
unset xlabel
set xrange [0:1]
set yrange [0:1]
plot NaN
