# style.gp: page, fonts, colors, title and the axis along the bottom; it stands before every picture's own template.
#
# Slots: TERM (pngcairo, svg, pdfcairo), W, H (pixels), PAPER (1: 300 of them an inch) or F (the font in points), TITLE,
# SUBTITLE ('': none); for a numeric axis XLABEL, XLOG (1: logarithmic), XWHOLE (1: counts), and DATA with its values in the first
# column or the ends XMIN, XMAX. Marks of many charts: AX, AY, ATEXT (the answer), NX, NY, NTEXT (as configured); NaN: none.
set encoding utf8
PDF = TERM eq 'pdfcairo'
SVG = TERM eq 'svg'
if (!exists('F')) {                              # W and H in pixels of a screen, of a PDF in millimeters
  # A page far from 16:9 has no room for letters that suit its area.
  _w = W / 1600.
  _h = H / 900.
  F = sqrt(_w * _h)
  F = 20 * (F < 1.5 * _w && F < 1.5 * _h ? F : 1.5 * (_w < _h ? _w : _h))
  F = PAPER ? 300 * 7 / 72. : F > 12.5 ? F : 12.5   # an em: 7 points on paper, else what is still read at least
  UNIT = PDF ? (PAPER ? 25.4 / 300 : 0.254) : SVG && PAPER ? 0.32 : 1
  F = F * UNIT * (PDF ? 0.72 / 0.254 : 0.75)
  W = W * UNIT
  H = H * UNIT
}
S = F / 14.                                     # scale of strokes and points
P = PDF ? 0.55 * S : S                          # pdfcairo draws points larger
PAPER = exists('PAPER') && PAPER
D = PDF ? 1 : 2                                 # and dashes longer
EM = PDF ? 0.3528 * F : 4 / 3. * F              # an em in units of W

COLS = W / (0.57 * EM)                          # the page in characters
WIDE = W / (0.54 * EM)                          # texts in DejaVu Sans take 0.49 to 0.53 em a character

# Of a text at most m lines of n characters: it breaks at blanks (U+00A0 is none), a longer word anywhere.
# No line begins with a dot or the unit of a number.
hangs(s) = strstrt(" · % %, %: %; ms ms, ms: ms; µs µs, µs: µs; s s, s: s; s) %) ms) µs) ", ' '.word(s, 1).' ') > 0
back(s, k, m) = k < m ? 0 : s[k:k] eq ' ' && !hangs(s[k+1:*]) ? k : back(s, k - 1, m)
clipped(s, n) = strlen(s) <= n ? s : s[1:n-1].'…'
wrap(s, n, m) = m < 2 || strlen(s) <= n ? clipped(s, n) : (_k = back(s, n + 1, n < 80 ? 2 : n - 80), \
    _k > 0 ? s[1:_k-1]."\n".wrap(s[_k+1:*], n, m - 1) : s[1:n]."\n".wrap(s[n+1:*], n, m - 1))
lines(s) = s eq '' ? 0 : strstrt(s, "\n") ? 1 + lines(s[strstrt(s, "\n")+1:*]) : 1
# The width of a text in em, as letters of DejaVu Sans have it; then a line of it has so many characters.
wide(s) = sum [i=1:strlen(s)] (strstrt(" \302\240·il.,:;jI|'", s[i:i]) ? 0.31 : strstrt('tfr()-/', s[i:i]) ? 0.39 : \
    strstrt('mw%MW', s[i:i]) ? 0.9 : 0.61)
fill(s, k) = int(0.98 * (W / (k * EM) - 2.3 / k) / (s eq '' ? 1 : wide(s) / strlen(s)))
# Wrapped at n characters or somewhat fewer, so that no few words stand alone in the last line.
last(s) = strstrt(s, "\n") ? last(s[strstrt(s, "\n")+1:*]) : s
lone(s, n) = lines(s) > 1 && strlen(last(s)) < n / 4
even(s, n, m, k) = (_w = wrap(s, n - k, m), !lone(_w, n) ? _w : k > n / 3 || lines(_w) > lines(wrap(s, n, m)) ? \
    wrap(s, n, m) : even(s, n, m, k + 1 + n / 40))
_t = even(TITLE, fill(TITLE, 1.35), COLS < 80 ? 4 : 3, 0)
_s = even(SUBTITLE, fill(SUBTITLE, 0.9), PAPER ? 5 : 3, 0)
if (PAPER) { H = H + 1.2 * EM * ((lines(_t) > 2 ? lines(_t) - 2 : 0) + (lines(_s) > 2 ? lines(_s) - 2 : 0)) }

SIZE = PDF ? sprintf('%.2fcm,%.2fcm', W / 10., H / 10.) : sprintf('%d,%d', W, H)
MORE = SVG ? ' fontscale 1.333' : PDF ? ' fontscale 0.75' : '' # svg counts points as pixels, pdfcairo scales them
eval sprintf("set term %s noenhanced size %s font 'DejaVu Sans,%.2f'%s background '#ffffff'", TERM, SIZE, F, MORE)

# Okabe and Ito's colors, each with one meaning.
BLUE = 0x0072b2; RED = 0xd55e00; GREEN = 0x009e73; AMBER = 0xe69f00; SKY = 0x56b4e9; PURPLE = 0xaa4499
INK = 0x1a1a1a; TEXT = 0x444444; MUTED = 0x767676; RULE = 0xdddddd; PALE = 0xc4c8ce
set style line 1 lw 2.2*S lc rgb BLUE pt 7 ps 0.9*P                  # simulated or measured
set style line 2 lw 1.5*S lc rgb INK                                 # what is possible at most
set style line 3 lw 1.5*S lc rgb MUTED dt (4*D,4*D)                  # what is certain at least
set style line 4 lw 1.2*S lc rgb GREEN dt (12*D,5*D)                 # a target
set style line 5 lw 2.2*S lc rgb RED pt 7 ps 1.7*P                   # the answer
set style line 6 lw 1.4*S lc rgb RED dt (2*D,3*D)                    # its place on the axis
set style line 9 lw 0.6*S lc rgb RULE
set style textbox 1 opaque noborder fc rgb 'white' margins 0.4,0.3
set style fill solid 1 noborder

plain(s) = strstrt(s, '%') ? s[1:strstrt(s, '%')].'%'.plain(s[strstrt(s, '%')+1:*]) : s   # names of tics are formats
font(k) = sprintf(',%.2f', k * F)
ROWS = H / (1.32 * EM)

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
# A line of names above the panel, where the names cannot stand beside what they mean.
KF = font(0.9)
KEY = "set tmargin HEAD + 1.4; set key at graph 1,1 right bottom horizontal maxrows 1 reverse Left samplen 1.6 noautotitle tc rgb TEXT font KF"

# A step of 1, 2 or 5 that puts at most n tics on a range of r. A number of three digits.
step(r, n) = (_q = r / real(n), _u = 10.**floor(log10(_q)), \
    _q <= _u ? _u : _q <= 2 * _u ? 2 * _u : _q <= 5 * _u ? 5 * _u : 10 * _u)
each(r) = r > 3000 ? '1' : r > (COLS < 80 ? 10 : 30) ? '1 2 5' : '1 1.5 2 3 4 5 6 8'   # tics of a decade where the ends are r apart
num(v) = sprintf(abs(v) >= 100 ? '%.0f' : '%.3g', v)

# Number k of a row of a block. gnuplot 5.4 takes "1e+15" for a number only with a point in it.
field(s, k) = (_f = word(s, k), _e = strstrt(_f, 'e'), _e && !strstrt(_f, '.') ? _f[1:_e-1].'.0'._f[_e:*] : _f) + 0

# Statistics as NAME_records and so on; NaN where there is no number at all, of which gnuplot defines nothing.
known(name) = exists(name) ? value(name) : NaN
tell(name, what) = sprintf("stats %s name '%s' nooutput", what, name).told(name, 'records').told(name, 'min').\
    told(name, 'max').told(name, 'mean')
told(name, part) = sprintf("; %s_%s = known('%s_%s')", name, part, name, part)

logged(s) = s[strlen(s):strlen(s)] eq ')' ? s[1:strlen(s)-1].', log scale)' : s.' (log scale)'

# The answer and what is configured: eval NOW writes beside it, and @MARKS are their points.
NOW = "if (NX == NX) { eval 'set label 6 NTEXT at NX,NY offset character '.lower(beside(NX, strlen(NTEXT)), exists('FALLS') && FALLS).' front font font(0.9) tc rgb INK boxed bs 1' }"
MARKS = "'+' using (NX):(NY) every ::::0 with points pt 7 ps 2*P lc rgb 'white', '+' using (NX):(NY) every ::::0 with points pt 6 ps 2*P lw 2*S lc rgb INK, '+' using (AX):(AY) every ::::0 with points ls 5"

# A place on the axis, cut at its ends; of a span the room in characters and its middle.
inside(x) = x < XL ? XL : x > XR ? XR : x
between(a, b) = (part(b) - part(a)) * (COLS - 11)
middle(a, b) = XLOG ? sqrt(a * b) : (a + b) / 2.

# The axis along the bottom. XL and XR are its ends, part(x) is a place on it, 0..1.
XL = XR = XTICS = 0
# beside() says on which side of x a text of n characters has room.
part(x) = XLOG ? log(x / XL) / log(XR / XL) : (x - XL) / (XR - XL)
beside(x, n) = part(x) > 0.5 && (1 - part(x)) * (COLS - 9) < n ? '-1,0 right' : '1,0 left'
lower(s, falls) = s[1:1] eq '-' ? '-1,-1 right' : falls ? '1,1 left' : '1,-1 left'   # above a line that falls
if (exists('XLABEL')) {
  if (!exists('XMIN')) {
    eval tell('X', 'DATA using 1')
    XMIN = X_min
    XMAX = X_max
  }
  if (XLOG) {                                    # to the base 2 where all are powers of it
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
    X = XMAX > XMIN ? 0.02 * (XMAX - XMIN) : XMIN == 0 ? 1 : 0.5 * abs(XMIN)
    XL = XMIN - X
    XR = XMAX + X
    X = step(XR - XL, COLS / (strlen(sprintf('%.6g', XMAX)) + 3.5))
    XT = XWHOLE && X < 1 ? 1 : X
    set xtics XT
  }
  set xrange [XL:XR]
  set xlabel XLOG ? logged(XLABEL) : XLABEL
}
