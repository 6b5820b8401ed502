# CHANGELOG.md as Debian writes changelogs. Variables: package, maintainer, date (of what is not released yet).
# A heading is "## VERSION (YYYY-MM-DD)" or "## VERSION (unreleased)", or on top "## Unreleased", which is left out; a
# paragraph without a bullet gets one.

# "2026-01-31" as "Sat, 31 Jan 2026 00:00:00 +0000"; the day of the week by Sakamoto's rule.
function long_date(day,    part, year, month) {
    split(day, part, "-")
    year = part[1] - (part[2] < 3)
    split("0 3 2 5 0 3 5 1 4 6 2 4", month, " ")
    return sprintf("%s, %s %s %s 00:00:00 +0000",
        substr("SunMonTueWedThuFriSat", 3 * ((year + int(year / 4) - int(year / 100) + int(year / 400) + \
            month[part[2] + 0] + part[3]) % 7) + 1, 3),
        part[3], substr("JanFebMarAprMayJunJulAugSepOctNovDec", 3 * part[2] - 2, 3), part[1])
}

# Writes the paragraph read so far, of lines of at most 80 columns.
function flush(    words, count, i, line) {
    count = split(paragraph, words, " ")
    line = "  *"
    for (i = 1; i <= count; i++) {
        if (length(line) + 1 + length(words[i]) > 80) {
            print line
            line = "   "
        }
        line = line " " words[i]
    }
    if (count > 0)
        print line
    paragraph = ""
}

function finish() {
    flush()
    if (version != "")
        printf "\n -- %s  %s\n", maintainer, dated
}

# What no version has yet.
/^## Unreleased/ { next }
/^## / {
    finish()
    if (version != "")
        print ""
    version = $2
    dated = date
    if (match($0, /\([0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\)/))
        dated = long_date(substr($0, RSTART + 1, 10))
    printf "%s (%s) %s; urgency=medium\n\n", package, version, /unreleased/ ? "UNRELEASED" : "unstable"
    next
}
version == "" { next }
/^$/ || /^\* / { flush() }
{ sub(/^\* /, ""); gsub(/\*\*/, ""); paragraph = paragraph " " $0 }

END { finish() }
