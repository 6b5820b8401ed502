# `cpack`: dlqueue and libdlqueue-dev_VERSION_ARCHITECTURE.deb, python3-dlqueue_VERSION_all.deb. scripts/package calls it.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL command development python)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells whether the data loader is the bottleneck of a training")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

# No person stands behind this address, and none can (RFC 2606).
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "dlqueue developers <developers@dlqueue.invalid>")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(text
"From an INI file (loader count, prefetch, time to load a batch, time of a
training step) dlqueue computes hard bounds on the throughput, simulates the
discipline of a real data loader (PyTorch, tf.data, DALI, FFCV, grain, Keras
and others) with confidence intervals, and says what binds in one sentence.
")

# It draws with gnuplot, and answers without: an image for a server need not have it.
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME dlqueue)
set(CPACK_DEBIAN_COMMAND_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot, fonts-dejavu-core, gifsicle")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libdlqueue-dev")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "${text}
It plans how many loaders meet a target, sweeps over them, draws timelines and
charts, diagnoses the logs that training writes, and fits a configuration to
them.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdlqueue-dev)
set(CPACK_DEBIAN_DEVELOPMENT_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libc6-dev | libc-dev, libgsl-dev, libinih-dev, libjansson-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "dlqueue")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${text}
This package has the static library and its headers.")

# pandas is for to_frame() alone, torch for the probe.
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dlqueue)
set(CPACK_DEBIAN_PYTHON_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "dlqueue (>= ${PROJECT_VERSION}), python3:any (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-torch, python3-ipykernel")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${text}
This package calls the command from Python and from notebooks, and has the
probe that records a training by PyTorch.")

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/stage.cmake)
set(CPACK_DLQ_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_DLQ_DATADIR ${CMAKE_INSTALL_FULL_DATADIR})
set(CPACK_DLQ_BINDIR ${CMAKE_INSTALL_FULL_BINDIR})
set(CPACK_DLQ_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
set(CPACK_DLQ_STRIP ${CMAKE_STRIP})
include(CPack)
