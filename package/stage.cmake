# What Debian asks of the files that are installed: run by cpack between staging and packing.

function(compress path)
  execute_process(COMMAND gzip -9nf ${path} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The changelog is that of the project; a package of its own has the same one under Debian's name.
function(document staged package)
  set(directory ${staged}${CPACK_DLQ_DATADIR}/doc/${package})
  file(COPY ${CPACK_DLQ_SOURCE}/package/copyright DESTINATION ${directory}
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(REMOVE ${directory}/CHANGELOG.md)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  execute_process(COMMAND awk -v package=${package} -v maintainer=${CPACK_DEBIAN_PACKAGE_MAINTAINER} -v "date=${date}"
      -f ${CPACK_DLQ_SOURCE}/package/changelog.awk ${CPACK_DLQ_SOURCE}/CHANGELOG.md
    OUTPUT_FILE ${directory}/changelog COMMAND_ERROR_IS_FATAL ANY)
  compress(${directory}/changelog)
endfunction()

document(${CPACK_TEMPORARY_DIRECTORY}/command dlqueue)
document(${CPACK_TEMPORARY_DIRECTORY}/development libdlqueue-dev)
document(${CPACK_TEMPORARY_DIRECTORY}/python python3-dlqueue)

# Where readers of documentation look for pages. What lintian reads as "mor" is "more." whose end is an operand.
set(data ${CPACK_TEMPORARY_DIRECTORY}/command${CPACK_DLQ_DATADIR})
file(WRITE ${data}/doc-base/dlqueue-theory "Document: dlqueue-theory
Title: The theory of dlqueue
Section: Science/Mathematics

Format: HTML
Index: ${CPACK_DLQ_DATADIR}/doc/dlqueue/theory.html
Files: ${CPACK_DLQ_DATADIR}/doc/dlqueue/theory.html
")
file(WRITE ${data}/lintian/overrides/dlqueue "dlqueue: spelling-error-in-binary mor more *\n")

file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/command${CPACK_DLQ_DATADIR}/man/man*/*)
foreach(page ${pages})
  compress(${page})
endforeach()

# As dh_strip does: without its symbols a static library would be of no use, and who compiled it is none.
set(strip ${CPACK_DLQ_STRIP} --remove-section=.comment --remove-section=.note)
execute_process(COMMAND ${strip} ${CPACK_TEMPORARY_DIRECTORY}/command${CPACK_DLQ_BINDIR}/dlqueue
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${strip} --strip-debug --enable-deterministic-archives
    ${CPACK_TEMPORARY_DIRECTORY}/development${CPACK_DLQ_LIBDIR}/libdlqueue-core.a
    ${CPACK_TEMPORARY_DIRECTORY}/development${CPACK_DLQ_LIBDIR}/libdlqueue-logs.a
  COMMAND_ERROR_IS_FATAL ANY)
