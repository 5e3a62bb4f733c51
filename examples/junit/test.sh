#!/bin/sh
# Does the same as `mvn test` without Maven Central, with Debian's packages:
#   apt-get install openjdk-17-jdk-headless junit5 libjackson2-databind-java
set -eu
cd "$(dirname "$0")"

jars=/usr/share/java
junit=$jars/junit-platform-console-standalone.jar
libraries=$jars/jackson-core.jar:$jars/jackson-databind.jar:$jars/jackson-annotations.jar

rm -rf target/classes
javac -Xlint:all -Werror -d target/classes -cp "$libraries:$junit" src/main/java/example/*.java src/test/java/example/*.java
cp src/test/resources/* target/classes
java -jar "$junit" -cp "target/classes:$libraries" --scan-classpath target/classes --disable-banner --fail-if-no-tests
