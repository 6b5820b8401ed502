# shellcheck shell=bash
# Bash completion for dlqueue. The words are those of dlqueue @version@, from its own tables.

_dlqueue_options() {
    # shellcheck disable=SC2221,SC2222
    case $1 in
@completion_options@    esac
}

# What an option's value may be; fails where it takes none.
_dlqueue_values() {
    case $1 in
@completion_values@        *) return 1 ;;
    esac
}

_dlqueue_operands() {
    case $1 in
@completion_operands@        -) echo '@completion_commands@' ;;
    esac
}

# All keys, a line each; for "load.read.m" those of that part.
_dlqueue_keys() {
    local keys='@completion_keys@'
    keys=${keys// /$'\n'}
    if [[ $1 =~ ^([a-z]+)\.[A-Za-z0-9_-]+\. && ' @completion_named@ ' == *" ${BASH_REMATCH[1]} "* ]]; then
        sed -n "s/^${BASH_REMATCH[1]}\./${BASH_REMATCH[0]}/p" <<<"$keys"
    else
        echo "$keys"
    fi
}

_dlqueue_key_values() {
    case $1 in
@completion_key_values@    esac
}

# Fills COMPREPLY with those of WORDS that begin with what stands behind BEFORE in the word typed.
_dlqueue_offer() {
    local words=$1 before=$2 typed=${current#"$2"} IFS=$'\n'
    case $words in
        @ini)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -X '!*.ini' -- "$typed"; compgen -d -- "$typed")
            ;;
        @files)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$typed")
            ;;
        @keys)
            if [[ $typed == *=* ]]; then
                _dlqueue_offer "$(_dlqueue_key_values "${typed%%=*}")" "$before${typed%%=*}="
            else
                compopt -o nospace 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -W "$(_dlqueue_keys "$typed")" -- "$typed")
            fi
            ;;
        *) mapfile -t COMPREPLY < <(compgen -W "${words// /$'\n'}" -- "$typed") ;;
    esac
}

_dlqueue() {
    local current='' previous='' command='' ended='' word values i
    local -a words=()
    # Readline may have split words at "="; they are joined again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]} > 0)) && [[ $word == =* || ${words[-1]} == --*= || ${words[-1]} == *.*= ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    ((${#words[@]} > 0)) || words=('')
    current=${words[-1]}
    unset 'words[-1]'

    for word in "${words[@]}"; do
        if [[ -n $previous ]]; then
            previous=
        elif [[ -z $ended && $word == -- ]]; then
            ended=yes
        elif [[ -z $ended && $word == -?* ]]; then
            [[ $word == *=* ]] || ! _dlqueue_values "$word" >/dev/null || previous=$word
        elif [[ -z $command ]]; then
            command=$word
        fi
    done

    COMPREPLY=()
    if [[ -n $previous ]]; then
        _dlqueue_offer "$(_dlqueue_values "$previous")" ''
    elif [[ -z $ended && $current == --*=* ]]; then
        values=$(_dlqueue_values "${current%%=*}") || return 0
        _dlqueue_offer "$values" "${current%%=*}="
    elif [[ -z $ended && $current == -* ]]; then
        _dlqueue_offer "$(_dlqueue_options "$command")" ''
    else
        _dlqueue_offer "$(_dlqueue_operands "${command:--}")" ''
    fi
}

complete -F _dlqueue dlqueue
