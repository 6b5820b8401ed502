/* Answers that are recorded: what each question of tests/data/answers.txt prints, the gnuplot scripts it keeps, and its
   exit status, are as they were, by a digest that leaves out the last digits of numbers: of each eighth with --full, in
   an ordinary run of each 64th. What changed scripts/answers shows; where that is meant, `scripts/answers again`
   records all anew. */
#include "command.h"

#include <ctype.h>
#include <inttypes.h>

/* Where the text goes on behind a number to six digits, or a character, which is added to *sum (FNV-1a). */
static const char *add(uint64_t *sum, const char *text, bool begins)
{
    char digits[32] = {text[0]}, *end = NULL;
    bool number = begins && isdigit((unsigned char)text[0]);
    if (number)
        snprintf(digits, sizeof digits, "%.6g", strtod(text, &end));
    for (const char *at = digits; *at != '\0'; at++)
        *sum = (*sum ^ (unsigned char)*at) * UINT64_C(1099511628211);
    return number ? end : text + 1;
}

static uint64_t digest(uint64_t sum, const char *text)
{
    static const char version[] = "  \"dlqueue\": ";
    char last = ' ';
    while (*text != '\0') {
        if (strncmp(text, version, strlen(version)) == 0)
            text += strcspn(text, "\n");
        text = add(&sum, text, !isalnum((unsigned char)last) && last != '_');
        last = text[-1];
    }
    return sum;
}

static void answers_are_as_recorded(void)
{
    const char *again = getenv("DLQ_ANSWERS");
    FILE *list = fopen(TEST_DATA "/answers.txt", "r"), *made = again != NULL ? fopen(again, "w") : NULL;
    char line[2048], question[sizeof line + 80];
    size_t count = 0, every = made != NULL ? 1 : test_every(test_full() ? 8 : 32);
    COMMAND(command);
    command_fake_gnuplot(command);
    snprintf(line, sizeof line, "cd '%s' && ln -s '%s/configs' '%s' . && mkdir variants && cd variants && sh %s",
             command->directory, PROJECT_SOURCE, TEST_DATA, "../data/variants.sh ../data");
    CHECK(list != NULL && (again == NULL || made != NULL) && system(line) == 0, "no answers.txt, or no place");
    for (; list != NULL && fgets(line, sizeof line, list) != NULL; count++) {
        char *asked = line + strcspn(line, " ");
        line[strcspn(line, "\n")] = '\0';
        if (count % every != 0)
            continue;
        snprintf(question, sizeof question, "%s --threads 1; s=$?; cat plots/*.gp 2>&-; rm -rf plots; exit $s", asked);
        command_run(command, "PATH=\"$PWD/bin:$PATH\"", question);
        uint64_t sum = digest(UINT64_C(14695981039346656037) + (uint64_t)command->status, command->out);
        sum = digest(sum, command->err);
        if (made != NULL)
            fprintf(made, "%016" PRIx64 "%s\n", sum, asked);
        else
            CHECK(sum == strtoull(line, NULL, 16), "another answer: dlqueue%s", asked);
    }
    CHECK(count > 3000, "%zu questions", count);
    if (list != NULL)
        fclose(list);
    if (made != NULL)
        CHECK(fclose(made) == 0, "%s", again);
}

TEST_SUITE(answers, CASE(answers_are_as_recorded));
