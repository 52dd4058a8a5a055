// Reads the output of a background task, and prints the problems that Visual Studio Code then has, by
// file. It does with the problem matcher of the task what the editor does: a begin that follows an end
// marks the files of before, a problem of a file replaces those that it had, and an end removes the
// problems of marked files that got none.
import {readFileSync} from 'node:fs';

const task = JSON.parse(readFileSync(process.argv[2], 'utf8')).tasks.find(t => t.label === 'hookwatch');
const {pattern, background} = task.problemMatcher;
const [problem, begin, end] = [pattern.regexp, background.beginsPattern, background.endsPattern].map(text => new RegExp(text));
const shown = new Map();
let active = background.activeOnStart, marked = new Set(), fresh = new Map();
for (const raw of readFileSync(0, 'utf8').split(/\r?\n/)) {
  const line = raw.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '');
  if (begin.test(line) && !active) {
    [active, marked, fresh] = [true, new Set(shown.keys()), new Map()];
  } else if (end.test(line) && active) {
    marked.forEach(file => shown.delete(file));
    [active, marked, fresh] = [false, new Set(), new Map()];
  }
  const found = problem.exec(line);
  if (found) {
    const file = found[pattern.file];
    marked.delete(file);
    fresh.set(file, [...fresh.get(file) ?? [], {
      line: +found[pattern.line], column: +found[pattern.column], severity: found[pattern.severity],
      message: found[pattern.message], code: found[pattern.code],
    }]);
    shown.set(file, fresh.get(file));
  }
}
console.log(JSON.stringify(Object.fromEntries(shown)));
