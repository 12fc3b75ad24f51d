# SPDX-License-Identifier: GPL-2.0-only
# Fish completion for ctrace(1). 'ctrace --complete' prints what the last word may become.
function __ctrace_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' "$cur")
    set -l value (string replace -r -- '^--[^=]*=' '' "$cur")
    for line in ($words[1] --complete $words[2..-1] "$cur" 2>/dev/null)
        switch $line
            case :files
                for file in (__fish_complete_path "$value")
                    echo "$option$file"
                end
            case :dirs
                for file in (__fish_complete_directories "$value" '')
                    echo "$option$file"
                end
            case :command
                __fish_complete_command
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete -c ctrace -f -a '(__ctrace_complete)'
