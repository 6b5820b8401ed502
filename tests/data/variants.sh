# variants.sh DATA: into the directory of now, more logs for answers.txt to ask about: the beginnings of records, records
# without some of their columns, records that begin late and whose workers are counted down, records whose loads never
# wait, and text that lacks every second line or ends amid one.
find -H "$1" -name '*.csv' -o -name '*.csv.gz' | LC_ALL=C sort | while read -r log; do
    gunzip -cf "$log" | awk -v name="$(basename "${log%.gz}" .csv)" '
        BEGIN {
            FS = OFS = ","
            rows = split("20 21 60 101 250", lengths, " ")
            without = split("worker load_start dispatched step_end,request load_end load_start,load_end,dispatched", columns, " ")
        }
        function say(text, way) { printf "%s%s\n", n == 0 ? head : "", text > (name "." way ".csv") }
        /^#/ {
            head = head $0 "\n"
            next
        }
        n == 0 { for (i = 1; i <= NF; i++) at[place[i] = $i] = i }
        { for (i = 1; i <= rows; i++) if (n <= lengths[i]) say($0, lengths[i]) }
        n <= 100 {
            for (k = 1; k <= without; k++) {
                text = ""
                for (i = 1; i <= NF; i++)
                    if (index("," columns[k] ",", "," place[i] ",") == 0) text = text (text == "" ? "" : ",") $i
                say(text, "without-" k)
            }
        }
        n == 0 || (n > 2 && n <= 160) {
            row = $0
            if (n > 0 && "worker" in at) $at["worker"] = 99 - $at["worker"]
            say($0, "late")
            $0 = row
        }
        "load_cpu" in at {
            if (n > 0) {
                $at["load_cpu"] = $at["worker_cpu"] = sprintf("%.6f", $at["load_end"] - $at["load_start"])
                $at["load_delay"] = $at["worker_delay"] = 0
            }
            say($0, "busy")
        }
        { n++ }'
done
for log in "$1"/logs/*.log; do
    name=$(basename "$log" .log)
    awk 'NR % 2 == 1' "$log" >"$name.odd.log"
    head -c "$(($(wc -c <"$log") * 2 / 3))" "$log" >"$name.cut.log"
done
