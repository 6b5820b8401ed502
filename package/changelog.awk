# CHANGELOG.md as Debian writes changelogs. Variables: package, maintainer, date.
# A heading is "## VERSION (DATE)" or "## VERSION (unreleased)"; a paragraph without a bullet gets one.

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
        printf "\n -- %s  %s\n", maintainer, date
}

/^## / {
    finish()
    if (version != "")
        print ""
    version = $2
    printf "%s (%s) %s; urgency=medium\n\n", package, version, /unreleased/ ? "UNRELEASED" : "unstable"
    next
}
version == "" { next }
/^$/ || /^\* / { flush() }
{ sub(/^\* /, ""); gsub(/\*\*/, ""); paragraph = paragraph " " $0 }

END { finish() }
