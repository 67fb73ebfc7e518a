#!/usr/bin/env bash
# Does what the pages tell their readers to do: installs Interlock and runs the program and the job of README.md
# from empty directories, gets the dependencies that they name and the operators' jar, runs the operators' commands,
# the demo, the kit from the command line and examples/spring-orders, and the lines of the bench that name scenarios and
# of PIT as they stand. Every other line of ./interlock is read by its real command line, without being run. Needs what
# examples/build has published and built, and curl. CONTRIBUTING.md says what is not run, and why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
home=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block PAGE LANGUAGE TEXT: the first block of the page in the language that has the text in it.
block() {
  awk -v begin="\`\`\`$2" -v text="$3" '
    /^```/ && inside { inside = 0; if (wanted && index(block, text)) { printf "%s", block; exit } next }
    /^```/ { inside = 1; wanted = $0 == begin; block = ""; next }
    inside { block = block $0 "\n" }' "$1"
}

# pom NAME XML: a project that has nothing but what the pages tell to put into it.
pom() {
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo "<groupId>example</groupId><artifactId>$1</artifactId><version>1</version>$2</project>"
}
published="<repositories><repository><id>interlock</id><url>file://$home/target/repository</url></repository></repositories>"
own_maven="mvn -B -ntp -q '-Dmaven.repo.local=$home/target/examples-m2'"

echo 'Following README.md from a clone and an empty directory ...'
# Nothing is installed into the user's own local repository, but what others have made is taken from there.
readme_m2=$home/target/readme-m2
rm -rf "$readme_m2"
mkdir -p "$readme_m2"
cp -al "$HOME/.m2/repository/." "$readme_m2" 2>/dev/null || true
rm -rf "$readme_m2/dev/interlock"
readme_maven="mvn -B -ntp -q '-Dmaven.repo.local=$readme_m2'"
block README.md sh 'mvn install' | sed "s|^mvn |$readme_maven |" >"$work/install"
bash -e "$work/install"
mkdir "$work/turns"
pom turns "<dependencies>$(block README.md xml lock-redis-setnx)</dependencies>" >"$work/turns/pom.xml"
block README.md java 'class Turns' >"$work/turns/Turns.java"
{
  block README.md sh Turns.java | sed -e "s|^mvn |$readme_maven |" \
    -e 's|redis-setnx://localhost|"redis-setnx:${SERVER_URI#redis:}"|'
  echo 'wait $!'
} >"$work/turns/commands"
(cd "$work/turns" && "$home/.ci/with-server.sh" redis bash -e commands) | tee "$work/turns/output"
for instance in first second; do
  [[ $(grep -c "$instance has turn [1-5], fencing token [0-9]*$" "$work/turns/output") == 5 ]] ||
    { echo "$instance has not had its five turns"; exit 1; }
done
# Whoever has a turn has the larger token, so the tokens of both are in the order of the lines.
sed 's/.* //' "$work/turns/output" | sort -c -n

echo "Running README.md's job in two instances ..."
job=$work/job
mkdir -p "$job/src/main/java/example" "$job/src/main/resources"
parent='<parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>'
boot='<groupId>org.springframework.boot</groupId><artifactId>spring-boot'
starter=$(grep -o 'dev.interlock:lock-spring-boot-starter:[0-9.]*' README.md | head -n 1)
{
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo "$parent<version>4.1.1</version></parent><groupId>example</groupId><artifactId>job</artifactId><version>1</version>"
  echo "<dependencies>$(block README.md xml lock-redis-setnx)<dependency><groupId>${starter%%:*}</groupId>"
  echo "<artifactId>lock-spring-boot-starter</artifactId><version>${starter##*:}</version></dependency></dependencies>"
  echo "<build><plugins><plugin>$boot-maven-plugin</artifactId></plugin></plugins></build></project>"
} >"$job/pom.xml"
grep -o 'interlock.uri=redis-setnx://localhost' README.md >"$job/src/main/resources/application.properties"
cat >"$job/src/main/java/example/Application.java" <<'END'
package example;
@org.springframework.boot.autoconfigure.SpringBootApplication
@org.springframework.scheduling.annotation.EnableScheduling
public class Application {
  public static void main(String[] args) {
    org.springframework.boot.SpringApplication.run(Application.class, args);
  }
}
END
# Each second instead of each minute.
{
  echo 'package example; import dev.interlock.spring.*;'
  echo 'import org.springframework.scheduling.annotation.*; import org.springframework.stereotype.*;'
  block README.md java LockedJob | sed -e 's|"0 [*] |"* * |' -e 's|"50s"|"800ms"|'
} >"$job/src/main/java/example/Reports.java"
cat >"$job/instances" <<'END'
trap 'kill $(jobs -p) 2>/dev/null' EXIT
for instance in 1 2; do
  java -jar target/job-1.jar --spring.main.banner-mode=off "--interlock.uri=redis-setnx:${SERVER_URI#redis:}" &
done
sleep 25
END
(cd "$job" && eval "$readme_maven package" && "$home/.ci/with-server.sh" redis bash instances) | tee "$work/job.output"
[[ $(grep -c 'Started Application' "$work/job.output") == 2 ]] || { echo 'not both instances have started'; exit 1; }
reports=$(grep -c '^The report, by process [0-9]*$' "$work/job.output" || true)
# Both alone would make some forty.
((reports >= 5 && reports <= 26)) || { echo "the job has run $reports times in at most 25 s"; exit 1; }

echo 'Getting the dependencies that the pages name ...'
mkdir "$work/dependencies"
{
  # What stands behind the versions are dependencies.
  block docs/getting-started.md xml lock-bom | sed 's|</dependencyManagement>|&<dependencies>|'
  for page in docs/*.md; do
    [[ $page == docs/getting-started.md ]] || block "$page" xml '<dependency>'
  done
  echo '</dependencies>'
} >"$work/named"
pom dependencies "$published$(<"$work/named")" >"$work/dependencies/pom.xml"
(cd "$work/dependencies" && eval "$own_maven dependency:copy-dependencies")
for jar in $(grep -o '>lock-[a-z-]*<' "$work/named" | tr -d '<>' | grep -v lock-bom); do
  ls "$work/dependencies/target/dependency/$jar"-*.jar
done
block docs/operators.md sh dependency:copy |
  sed -e "s|^mvn |$own_maven |" -e 's|\bURI$|"redis-setnx:${SERVER_URI#redis:}"|' >"$work/operators"
(cd "$work/dependencies" && "$home/.ci/with-server.sh" redis bash -e "$work/operators")

echo 'Running the commands that a server is needed for ...'
# status NUMBER COMMAND...: whether the command ends with that status.
status() {
  local expected=$1 found=0
  shift
  "$@" || found=$?
  ((found == expected)) || { echo "'$*' ended with $found, and not with $expected"; return 1; }
}
export -f status
.ci/with-server.sh redis bash -e -c '
  uri=redis-setnx:${SERVER_URI#redis:}
  status 0 ./interlock ls "$uri"
  status 3 ./interlock inspect "$uri" report
  status 0 ./interlock watch "$uri" --count 1
  status 3 ./interlock force "$uri" report --token 1 --yes
  # A member of a quorum as docs/quorum.md writes it.
  member=${uri//:/%3A}
  member=member=${member//\//%2F}
  status 0 ./interlock ls "quorum://?$member%2F1&$member%2F2&$member%2F3" --json
  status 0 ./interlock demo "$uri" --seconds 2'

echo 'Judging examples/lock-h2 from the command line, as lock-tck/GUIDE.md tells ...'
h2=$(ls "$home"/target/examples-m2/com/h2database/h2/*/h2-*.jar | tail -n 1)
{
  echo 'trap "kill \$!" EXIT'
  # The whole, of one rule; that rule's history again; and "tck ..." for another one, as the page has it.
  block lock-tck/GUIDE.md '' org.h2.tools.Server |
    sed -e '$s|$| --rules X1 --effort quick --histories --out "$OUT"|'
  echo './interlock history "$OUT"/histories/*'
  again=$(block lock-tck/GUIDE.md '' org.h2.tools.Server | sed -e '1d' -e 's|^./interlock tck ||')
  grep -o './interlock tck \.\.\. --rules[^`]*' lock-tck/GUIDE.md | while read -r line; do
    echo "${line/.../$again} --out \"\$OUT\""
  done
} | sed -e "s|\bh2\.jar|$h2|" -e "s|\b9092\b|$((20000 + RANDOM % 10000))|" >"$work/judge"
OUT=$work/judged bash -e "$work/judge"
rule=$(block lock-tck/GUIDE.md '' AcmeLockTckTest | sed -e "s|^mvn |$own_maven -f examples/lock-h2/pom.xml |" \
  -e "s|Acme|H2|" -e "s|$| '-Dinterlock.repository=file://$home/target/repository'|")
eval "$rule"

echo 'Following examples/spring-orders/README.md ...'
# Unlike what the page tells, curl waits for the application, and takes an answer that is an error for one; and
# the tests are left out, which examples/build runs.
export CURL_HOME=$work
printf '%s\n' fail silent show-error retry=240 retry-delay=1 retry-connrefused >"$work/.curlrc"
page=$home/examples/spring-orders/README.md
port=$((20000 + RANDOM % 10000))
# orders BUILD COMMAND...: what the page tells from that build on, with its instances on other ports, then the command.
orders() {
  {
    echo "cd examples/spring-orders; rm -rf target; export SERVER_PORT=$port"
    # An argument comes before that variable.
    block "$page" sh "$1" | sed -e 's|redis-hash://localhost|"redis-hash:${SERVER_URI#redis:}"|' \
      -e "s|8081|$((port + 1))|" -e 's|^mvn |&-B -ntp -q -DskipTests |' -e '/^java/s| *&*$| \& instances+=($!)|'
    echo "trap 'kill \"\${instances[@]}\"; wait' EXIT"
    block "$page" sh curl
    echo "${2:-}"
  } | sed "s|localhost:8080|localhost:$port|" >"$work/orders"
}
orders 'mvn package'
bash -e "$work/orders" | tee "$work/answers"
grep -q '"items":3' "$work/answers"
orders 'mvn clean' "curl -X POST 'localhost:$((port + 1))/orders/1/items?count=2'"
.ci/with-server.sh redis bash -e "$work/orders" | tee "$work/answers"
# The second instance has gone on with the order of the first one.
grep -q '"items":5' "$work/answers"

echo 'Looking at the commands on the pages ...'
faults=0
fault() {
  echo "$1"
  faults=$((faults + 1))
}
pages=(README.md CONTRIBUTING.md SPEC.md docs/*.md lock-*/*.md examples/*/README.md)
# Their text in backticks, one a line: what is broken over two lines, or goes on after a backslash, is one.
spans() {
  awk '/^```/ { inside = !inside; if (inside) next }
    inside && /\\$/ { sub(/\\$/, ""); begun = begun $0; next }
    inside { print "`" begun $0 "`"; begun = ""; next }
    { printf "%s ", $0 } /^$/ { print "" }' \
    "$@" | grep -o '`[^`]*`' | tr -d '`'
}
# as_it_stands COMMAND: runs it, and shows what it says if it fails.
ran=0
as_it_stands() {
  echo "Running $1"
  bash -c "$1" >"$work/said" 2>&1 </dev/null || { cat "$work/said"; fault "'$1' fails"; }
  ran=$((ran + 1))
}
# accepted MODULE CLASS COMMAND GREP...: whether the command line of the class accepts those lines of the pages.
accepted() {
  local module=$1 class=$2 command=$3
  shift 3
  # Builds the module if that was not done yet.
  ./interlock help "$command" >/dev/null || fault "There is no './interlock $command'"
  # A name alone stands for the command; only "compare" needs no more.
  spans "${pages[@]}" | sort -u | sed -n 's|^\./interlock  *||p' | grep -E ' |^compare$' | grep -E "$@" |
    sed 's/^bench //' |
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$(ls "$module/target/$module"-*.jar):$module/target/lib/*" \
      .ci/Parse.java "$class" || fault "Some lines for $module are refused"
}
accepted lock-compare dev.interlock.compare.Interlock compare -v '^(bench|ls|inspect|watch|force) '
accepted lock-bench dev.interlock.bench.BenchCommand bench '^bench '
accepted lock-cli dev.interlock.cli.Operators ls '^(ls|inspect|watch|force) '
found=0
while read -r command rest; do
  case $command in
    ./interlock)
      # Without a choice of scenarios it takes some minutes.
      [[ $rest != 'bench '*--scenarios* && $rest != 'bench --list' ]] || as_it_stands "$command $rest"
      ;;
    mvn)
      for module in $(grep -oE -- 'lock-[a-z-]+' <<<"$rest"); do
        [[ -f $module/pom.xml ]] || fault "There is no module $module"
      done
      for profile in $(sed -n 's/.*-P\([a-z,-]*\).*/\1/p' <<<"$rest" | tr , ' '); do
        grep -q "<id>$profile</id>" pom.xml lock-*/pom.xml || fault "There is no profile $profile"
      done
      # Without a choice of classes it takes some minutes.
      [[ $rest != *-Dpit.classes=* ]] || as_it_stands "$command $rest"
      ;;
    .ci/* | examples/*)
      [[ -e $command ]] || fault "There is no $command"
      ;;
    *) continue ;;
  esac
  found=$((found + 1))
done < <(spans "${pages[@]}" | sort -u)
echo "$found commands, $ran of them run, $faults faults"
((found >= 20 && ran >= 4 && faults == 0))
