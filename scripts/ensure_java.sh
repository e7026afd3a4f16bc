#!/bin/sh
# Make sure that Java 17 or newer is there: only the Spark pipeline needs it.
#
# Looks at JAVA_HOME, then at PATH. Where it is missing, root gets a headless runtime from
# apt-get, dnf or apk; anybody else gets one sentence on what to install, and exit code 3.
set -eu

oldest=17

# Print the major version of a java command; nothing if it does not run.
major_version() {
    "$1" -version 2>&1 | sed -n 's/.*version "\([0-9][0-9]*\).*/\1/p' | head -n 1
}

is_recent() {
    major=$(major_version "$1")
    [ -n "$major" ] && [ "$major" -ge "$oldest" ]
}

# Print the first java command that is recent enough.
find_java() {
    if [ -n "${JAVA_HOME:-}" ] && is_recent "$JAVA_HOME/bin/java"; then
        echo "$JAVA_HOME/bin/java"
    elif command -v java >/dev/null 2>&1 && is_recent java; then
        command -v java
    fi
}

# Spark takes the Java of JAVA_HOME where that is set, whatever PATH says.
report() {
    if [ -n "${JAVA_HOME:-}" ] && [ "$1" != "$JAVA_HOME/bin/java" ]; then
        echo "$1 is Java $(major_version "$1"), but JAVA_HOME=$JAVA_HOME has no Java $oldest or" \
            "newer and Spark would follow it: unset JAVA_HOME or correct it." >&2
        exit 3
    fi
    echo "Java $(major_version "$1") is there: $1"
}

# The name of the package differs between releases: take the first that can be had.
install_first() {
    for package in $packages; do
        if "$@" "$package" >/dev/null 2>&1; then
            echo "Installed $package."
            return 0
        fi
    done
    return 1
}

install_java() {
    if command -v apt-get >/dev/null 2>&1; then
        packages="openjdk-17-jre-headless openjdk-21-jre-headless"
        echo "Java $oldest or newer is missing: installing it with apt-get ..."
        apt-get update >/dev/null 2>&1 || true
        install_first env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends
    elif command -v dnf >/dev/null 2>&1; then
        packages="java-17-openjdk-headless java-21-openjdk-headless"
        echo "Java $oldest or newer is missing: installing it with dnf ..."
        install_first dnf install -y
    elif command -v apk >/dev/null 2>&1; then
        packages="openjdk17-jre-headless openjdk21-jre-headless"
        echo "Java $oldest or newer is missing: installing it with apk ..."
        install_first apk add --no-cache
    else
        return 1
    fi
}

java=$(find_java)
if [ -z "$java" ] && [ "$(id -u)" = 0 ] && install_java; then
    java=$(find_java)
fi
if [ -z "$java" ]; then
    echo "tocsin's Spark pipeline needs Java $oldest or newer: install a headless JRE" \
        "(Debian and Ubuntu: openjdk-17-jre-headless; macOS: brew install openjdk@17)" \
        "and set JAVA_HOME or PATH to it." >&2
    exit 3
fi
report "$java"
