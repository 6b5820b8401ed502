/* Finds the numbers of a line and their labels: "avg_reader_cost: 0.41 s", "data 100.0 ms", "\"dt\": 0.75", "time
   (data): 0.7 (0.4)". The time is linear in the length of the line. */
#include "logs/read/formats/generic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHED = 1500, LONGEST_LABEL = 64, MOST_LABEL_WORDS = 4 }; /* SEARCHED: bytes of a line */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || (c != '\0' && strchr("_./-()+", c) != NULL);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Finds up to four words before `end`, the last one first; a quoted label is one word. Returns their number. */
static size_t find_words(const char *line, const char *end, const char *starts[MOST_LABEL_WORDS])
{
    const char *least = end - line > LONGEST_LABEL ? end - LONGEST_LABEL : line, *at = end;
    size_t count = 0;
    if (end > line && (end[-1] == '"' || end[-1] == '\'')) {
        for (at = end - 1; at > least && at[-1] != end[-1];)
            at--;
        starts[0] = at;
        return at > least ? 1 : 0;
    }
    while (count < MOST_LABEL_WORDS) {
        const char *word = at;
        while (word > least && is_word(word[-1]))
            word--;
        if (word == at || (word == least && word > line && is_word(word[-1])))
            break;
        while (word < at && strchr("./-)", *word) != NULL) /* "--- data" */
            word++;
        if (word == at ||
            !(isalpha((unsigned char)*word) || *word == '_' || *word == '(' || (unsigned char)*word >= 0x80))
            break;
        starts[count++] = word;
        at = word;
        while (at > least && is_blank(at[-1]))
            at--;
        if (at == word)
            break;
    }
    return count;
}

/* Finds the label before a number: as many of the last words as have a meaning together, else the last word. */
static void find_label(const char *line, struct dlq_labeled *found, bool has_unit)
{
    const char *end = found->number, *starts[MOST_LABEL_WORDS];
    end -= end > line && (end[-1] == '"' || end[-1] == '\'');
    const char *close = end;
    while (end > line && (is_blank(end[-1]) || end[-1] == '['))
        end--;
    const bool bracket = memchr(end, '[', (size_t)(close - end)) != NULL ||
                         (found->of_total && end > line && end[-1] == '|'); /* "|###   | 20/7393 [" of tqdm */
    found->separated = end > line && (end[-1] == ':' || end[-1] == '=');
    end -= found->separated;
    while (end > line && is_blank(end[-1]))
        end--;
    found->label = found->number;
    found->length = 0;
    found->bracket = bracket && !found->separated;
    if ((!found->separated && end == found->number) || found->bracket)
        return;
    size_t count = find_words(line, end, starts);
    end -= count > 0 && (*end == '"' || (end[-1] == '"' || end[-1] == '\''));
    for (size_t i = count; i > 0; i--) {
        const size_t length = (size_t)(end - starts[i - 1]);
        if (i > 1 && dlq_unit_of(starts[i - 1], strcspn(starts[i - 1], " \t")) > 0)
            continue; /* the unit of the number before */
        const struct dlq_meaning meaning = dlq_meaning_of(starts[i - 1], length, has_unit);
        if (i == 1 || (meaning.role != DLQ_ROLE_UNKNOWN && found->length == 0)) {
            found->label = starts[i - 1];
            found->length = length;
            found->meaning = meaning;
        }
        if (meaning.role != DLQ_ROLE_UNKNOWN)
            return;
    }
}

const char *dlq_thousands(const char *end, double *value)
{
    while (*end == ',' && strspn(end + 1, "0123456789") == 3 && end[4] != '.' && *value < 1e9) {
        *value = 1000 * *value + strtod(end + 1, NULL);
        end += 4;
    }
    return end;
}

bool dlq_labeled_next(const char *line, const char **at, struct dlq_labeled *found)
{
    const char *text = *at;
    for (; *text != '\0' && text - line < SEARCHED; text++) {
        const char last = text > line ? text[-1] : ' ';
        if (!isdigit((unsigned char)*text) && !(*text == '.' && isdigit((unsigned char)text[1])))
            continue;
        double rounding;
        *found = (struct dlq_labeled){.number = text};
        const char *end = dlq_number_time(text, &found->value, &rounding);
        if (end == NULL)
            return false;
        if (isalnum((unsigned char)last) || (unsigned char)last >= 0x80 || strchr("_./-+", last) != NULL) {
            text = end - 1; /* within a word, a date or a path, or negative */
            continue;
        }
        found->whole = strspn(text, "0123456789") == (size_t)(end - text);
        if (found->whole)
            end = dlq_thousands(end, &found->value);
        found->end = found->behind = *at = end;
        const double unit = dlq_unit_behind(end, &found->behind);
        const char *next = found->behind + strspn(found->behind, " \t");
        found->of_total = *end == '/' || (*next == '/' && isdigit((unsigned char)next[1 + strspn(next + 1, " \t")]));
        if (*next == '(' && unit == 0) { /* "0.154 (8.010)" */
            const char *inner = next + 1 + strspn(next + 1, " \t");
            double second;
            const char *close = dlq_number_time(inner, &second, &rounding);
            if (close != NULL && strchr(" \ts,)", *close) != NULL) {
                found->inner = inner;
                found->inner_end = close;
                found->second = second;
            }
        }
        found->time = !(unit == 0 && (isalpha((unsigned char)*end) || *end == '_' || *next == '%')) &&
                      !(unit > 0 && *next == '/') && !found->of_total &&
                      !((*end == ':' || *end == '-') && isdigit((unsigned char)end[1])) && isfinite(found->value);
        find_label(line, found, unit > 0);
        found->unit = unit > 0 ? unit : found->meaning.unit;
        return true;
    }
    *at = text;
    return false;
}
