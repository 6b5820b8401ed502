# style.gp: page, fonts, colors, title and x axis of all pictures; precedes the template of a picture in each script.
#
# Slots: TERM (pngcairo, svg, pdfcairo), W, H (pixels), PAPER (1: 300 pixels an inch) or F (font size in points), TITLE,
# SUBTITLE ('': none); for a numeric x axis XLABEL, XLOG (1: logarithmic), XWHOLE (1: counts), and either DATA with the
# x values in the first column or the ends XMIN, XMAX. Marks of many charts and their labels: AX, AY, ATEXT of the
# answer; NX, NY, NTEXT of the configured point; NaN, for which NX == NX is false: no mark.
set encoding utf8
PDF = TERM eq 'pdfcairo'
SVG = TERM eq 'svg'
if (!exists('F')) {                              # computes F; W and H become millimeters for a PDF
  # The area of the page determines the font, but the shorter side limits it on a page far from 16:9.
  _w = W / 1600.
  _h = H / 900.
  F = sqrt(_w * _h)
  F = 20 * (F < 1.5 * _w && F < 1.5 * _h ? F : 1.5 * (_w < _h ? _w : _h))
  F = PAPER ? 300 * 7 / 72. : F > 12.5 ? F : 12.5   # an em in pixels: 7 points on paper, else 12.5 at least
  UNIT = PDF ? (PAPER ? 25.4 / 300 : 0.254) : SVG && PAPER ? 0.32 : 1 # units of W to a pixel: mm, 1/96 inch, pixels
  F = F * UNIT * (PDF ? 0.72 / 0.254 : 0.75)      # in points
  W = W * UNIT
  H = H * UNIT
}
S = F / 14.                                     # scale of the widths of lines
P = PDF ? 0.55 * S : S                          # scale of the symbols of points: pdfcairo draws them larger
PAPER = exists('PAPER') && PAPER
D = PDF ? 1 : 2                                 # scale of dashes: pdfcairo draws them longer
EM = PDF ? 0.3528 * F : 4 / 3. * F              # an em in units of W

COLS = W / (0.57 * EM)                          # width of the page in characters of tic labels
WIDE = W / (0.54 * EM)                          # the same for texts: DejaVu Sans has 0.49 to 0.53 em a character

# wrap() breaks a text into at most m lines of n characters: at blanks (U+00A0 is no blank), and a longer word anywhere.
# No line begins with a dot or the unit of a number, which hangs() finds; back() finds the blank
# to break at, from place k back to place m.
hangs(s) = strstrt(" · % %, %: %; ms ms, ms: ms; µs µs, µs: µs; s s, s: s; s) %) ms) µs) ", ' '.word(s, 1).' ') > 0
back(s, k, m) = k < m ? 0 : s[k:k] eq ' ' && !hangs(s[k+1:*]) ? k : back(s, k - 1, m)
clipped(s, n) = strlen(s) <= n ? s : s[1:n-1].'…'
wrap(s, n, m) = m < 2 || strlen(s) <= n ? clipped(s, n) : (_k = back(s, n + 1, n < 80 ? 2 : n - 80), \
    _k > 0 ? s[1:_k-1]."\n".wrap(s[_k+1:*], n, m - 1) : s[1:n]."\n".wrap(s[n+1:*], n, m - 1))
lines(s) = s eq '' ? 0 : strstrt(s, "\n") ? 1 + lines(s[strstrt(s, "\n")+1:*]) : 1
# wide(): the width of a text in em of DejaVu Sans; fill(): the characters of the text that fit in a line, at k times F,
# with margins of 2.3 em.
wide(s) = sum [i=1:strlen(s)] (strstrt(" \302\240·il.,:;jI|'", s[i:i]) ? 0.31 : strstrt('tfr()-/', s[i:i]) ? 0.39 : \
    strstrt('mw%MW', s[i:i]) ? 0.9 : 0.61)
fill(s, k) = int(0.98 * (W / (k * EM) - 2.3 / k) / (s eq '' ? 1 : wide(s) / strlen(s)))
# even() wraps at n - k characters or somewhat fewer, so that the last line is no shorter than a quarter of n.
last(s) = strstrt(s, "\n") ? last(s[strstrt(s, "\n")+1:*]) : s
lone(s, n) = lines(s) > 1 && strlen(last(s)) < n / 4
even(s, n, m, k) = (_w = wrap(s, n - k, m), !lone(_w, n) ? _w : k > n / 3 || lines(_w) > lines(wrap(s, n, m)) ? \
    wrap(s, n, m) : even(s, n, m, k + 1 + n / 40))
# _t, _s: the title and the subtitle, wrapped.
_t = even(TITLE, fill(TITLE, 1.35), COLS < 80 ? 4 : 3, 0)
_s = even(SUBTITLE, fill(SUBTITLE, 0.9), PAPER ? 5 : 3, 0)
if (PAPER) { H = H + 1.2 * EM * ((lines(_t) > 2 ? lines(_t) - 2 : 0) + (lines(_s) > 2 ? lines(_s) - 2 : 0)) }

inches(mm) = (floor(mm / 25.4 * 72 + 0.5) + 0.01) / 72    # pdfcairo cuts sizes off to whole points, of 1/72 inch
SIZE = PDF ? sprintf('%.4fin,%.4fin', inches(W), inches(H)) : sprintf('%d,%d', W, H)
MORE = SVG ? ' fontscale 1.333' : PDF ? ' fontscale 0.75' : '' # svg counts points as pixels, pdfcairo scales them
eval sprintf("set term %s noenhanced size %s font 'DejaVu Sans,%.2f'%s background '#ffffff'", TERM, SIZE, F, MORE)

# Colors of Okabe and Ito (PURPLE: of Paul Tol); then grays. The line styles say what they stand for.
BLUE = 0x0072b2; RED = 0xd55e00; GREEN = 0x009e73; AMBER = 0xe69f00; SKY = 0x56b4e9; PURPLE = 0xaa4499
INK = 0x1a1a1a; TEXT = 0x444444; MUTED = 0x767676; RULE = 0xdddddd; PALE = 0xc4c8ce
set style line 1 lw 2.2*S lc rgb BLUE pt 7 ps 0.9*P                  # simulated or measured
set style line 2 lw 1.5*S lc rgb INK                                 # an upper bound
set style line 3 lw 1.5*S lc rgb MUTED dt (4*D,4*D)                  # a lower bound
set style line 4 lw 1.2*S lc rgb GREEN dt (12*D,5*D)                 # a target
set style line 5 lw 2.2*S lc rgb RED pt 7 ps 1.7*P                   # the answer
set style line 6 lw 1.4*S lc rgb RED dt (2*D,3*D)                    # the line from the answer to the axis
set style line 9 lw 0.6*S lc rgb RULE                                # the grid
set style textbox 1 opaque noborder fc rgb 'white' margins 0.4,0.3
set style fill solid 1 noborder

plain(s) = strstrt(s, '%') ? s[1:strstrt(s, '%')].'%'.plain(s[strstrt(s, '%')+1:*]) : s   # doubles %, as tic labels are formats
font(k) = sprintf(',%.2f', k * F)
ROWS = H / (1.32 * EM)                          # height of the page in lines

set label 101 _t at screen 0,1 offset character 1.5,-1.3 front font font(1.35) tc rgb INK
set label 102 _s at screen 0,1 offset character 1.5,-1.5-1.35*lines(_t) front font font(0.9) tc rgb MUTED
HEAD = (lines(_t) ? 0.9 + 1.38 * lines(_t) : 0) + 0.95 * lines(_s) + 0.9   # lines above the panels
set tmargin HEAD
set border 3 lw S lc rgb TEXT
set tics nomirror out scale 0.5 tc rgb TEXT
set xlabel tc rgb INK offset 0,0.3
set ylabel tc rgb INK offset 0.2,0
set format '%h'
set grid ytics ls 9
set key off
# A key in one line above the panel, for charts without room for labels beside their lines.
KF = font(0.9)
KEY = "set tmargin HEAD + 1.4; set key at graph 1,1 right bottom horizontal maxrows 1 reverse Left samplen 1.6 noautotitle tc rgb TEXT font KF"

# step(): 1, 2 or 5 times a power of ten, so that a range r has at most n tics. num(): a number of three digits.
step(r, n) = (_q = r / real(n), _u = 10.**floor(log10(_q)), \
    _q <= _u ? _u : _q <= 2 * _u ? 2 * _u : _q <= 5 * _u ? 5 * _u : 10 * _u)
each(r) = r > 3000 ? '1' : r > (COLS < 80 ? 10 : 30) ? '1 2 5' : '1 1.5 2 3 4 5 6 8'   # tics of a decade; r: ratio of the ends
num(v) = sprintf(abs(v) >= 100 ? '%.0f' : '%.3g', v)

# Number k of a row of a data block. gnuplot 5.4 reads "1e+15" as a number only if it has a decimal point.
field(s, k) = (_f = word(s, k), _e = strstrt(_f, 'e'), _e && !strstrt(_f, '.') ? _f[1:_e-1].'.0'._f[_e:*] : _f) + 0

# Commands that compute statistics as NAME_records and so on: NaN where there is no number. `stats` defines nothing
# there, and warns: so another one looks first whether a row has a number, and functions see all rows twice.
known(name) = exists(name) ? value(name) : NaN
valued(x) = x == x
tell(name, what) = tells(name, what, strstrt(what, ' using ') + 6)
tells(name, what, k) = sprintf("undefine _S_*; stats %s (valued(%s)) name '_S' nooutput; ", what[1:k], what[k+1:*]). \
    sprintf("if (known('_S_max') > 0) { stats %s name '%s' nooutput } else { undefine %s_* }", what, name, name). \
    stat(name, 'records').stat(name, 'min').stat(name, 'max').stat(name, 'mean')
stat(name, part) = sprintf("; %s_%s = known('%s_%s')", name, part, name, part)

logged(s) = s[strlen(s):strlen(s)] eq ')' ? s[1:strlen(s)-1].', log scale)' : s.' (log scale)'

# `eval NOW` writes the label of the configured point; @MARKS plots this point and the answer.
NOW = "if (NX == NX) { eval 'set label 6 NTEXT at NX,NY offset character '.lower(beside(NX, strlen(NTEXT)), exists('FALLS') && FALLS).' front font font(0.9) tc rgb INK boxed bs 1' }"
MARKS = "'+' using (NX):(NY) every ::::0 with points pt 7 ps 2*P lc rgb 'white', '+' using (NX):(NY) every ::::0 with points pt 6 ps 2*P lw 2*S lc rgb INK, '+' using (AX):(AY) every ::::0 with points ls 5"

# inside(): x, or the nearer end of the axis; between(): width of a..b in characters, of which the panel has
# COLS - 11; middle(): the middle of a..b.
inside(x) = x < XL ? XL : x > XR ? XR : x
between(a, b) = (part(b) - part(a)) * (COLS - 11)
middle(a, b) = XLOG ? sqrt(a * b) : (a + b) / 2.

# The x axis. XL and XR are its ends, part(x) is the position of x between them, 0..1. XTICS: labels of a logarithmic
# axis, at XTIC[1..XTICS]; XT: distance of tics on a linear one.
XL = XR = XTICS = 0
# beside(): the offset and alignment of a text of n characters beside x, on the side that has room.
part(x) = XLOG ? log(x / XL) / log(XR / XL) : (x - XL) / (XR - XL)
beside(x, n) = part(x) > 0.5 && (1 - part(x)) * (COLS - 9) < n ? '-1,0 right' : '1,0 left'
lower(s, falls) = s[1:1] eq '-' ? '-1,-1 right' : falls ? '1,1 left' : '1,-1 left'   # above a falling line
if (exists('XLABEL')) {
  if (!exists('XMIN')) {
    eval tell('X', 'DATA using 1')
    XMIN = X_min
    XMAX = X_max
  }
  if (XLOG) {                                    # to the base 2 if all values are powers of 2
    eval tell('X', 'DATA using (2.**floor(log($1) / log(2) + 0.5) == $1)')
    XLOG = X_min == 1 ? 2 : 10
  }
  if (XLOG) {
    XL = XMIN / (XMAX / XMIN)**0.03
    XR = XMAX * (XMAX / XMIN)**0.03
    if (XMIN == XMAX) {
      XL = XMIN / 2.
      XR = XMAX * 2.
    }
    set logscale x XLOG
    unset mxtics
    if (XLOG == 10) {
      set xtics ()
      array XTIC[64]
      do for [k=floor(log10(XL)):ceil(log10(XR))] {
        do for [m in each(XMAX / XMIN)] {
          X = m * 10.**k
          if (X >= XL && X <= XR && (!XWHOLE || X == floor(X))) {
            XTICS = XTICS < 64 ? XTICS + 1 : 64
            XTIC[XTICS] = X
            set xtics add (sprintf('%.6g', X) X)
          }
        }
      }
    }
  } else {
    X = XMAX > XMIN ? 0.02 * (XMAX - XMIN) : XMIN == 0 ? 1 : 0.5 * abs(XMIN) # margin
    XL = XMIN - X
    XR = XMAX + X
    X = step(XR - XL, COLS / (strlen(sprintf('%.6g', XMAX)) + 3.5))
    XT = XWHOLE && X < 1 ? 1 : X
    set xtics XT
  }
  set xrange [XL:XR]
  set xlabel XLOG ? logged(XLABEL) : XLABEL
}
