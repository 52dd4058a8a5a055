#!/usr/bin/env node
'use strict';

// Deny commands and paths that a project does not want an agent to touch.

const fs = require('fs');
const path = require('path');
const { split, commands, unquote } = require('../lib/words');
const report = require('../lib/report');

const RULES = path.join(__dirname, '..', 'rules', 'guard.json');

const DANGEROUS = [
  { name: 'disk', pattern: /^(mkfs(\.\w+)?|fdisk|parted)$/, why: 'it formats a disk' },
  { name: 'power', pattern: /^(shutdown|reboot|halt|poweroff)$/, why: 'it stops the machine' },
  { name: 'fork bomb', pattern: /^:\(\)/, why: 'it forks without end' },
];

const DOWNLOADERS = new Set(['curl', 'wget', 'fetch']);
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash']);
const WRAPPERS = ['sudo', 'nohup', 'time', 'env'];
const FORCE = /^(-f|--force|--force-with-lease(=.*)?)$/;
const RECURSIVE = /^-[a-zA-Z]*[rR][a-zA-Z]*$/;

const MANAGERS = {
  npm: 'pnpm',
  yarn: 'pnpm',
  pip: 'uv pip',
  pip3: 'uv pip',
};

function readRules() {
  const fallback = { branches: ['main'], protected: [], secrets: ['.env'], ports: [] };
  try {
    return { ...fallback, ...JSON.parse(fs.readFileSync(RULES, 'utf8')) };
  } catch (error) {
    report.note(`rules cannot be read: ${error.code || error.name}`);
    return fallback;
  }
}

class Verdict {
  constructor(decision, why) {
    this.decision = decision;
    this.why = why;
  }

  stricter(other) {
    const order = ['allow', 'ask', 'deny'];
    return order.indexOf(other.decision) > order.indexOf(this.decision) ? other : this;
  }

  get silent() {
    return this.decision === 'allow' && !this.why;
  }
}

const allow = () => new Verdict('allow', '');
const ask = (why) => new Verdict('ask', why);
const deny = (why) => new Verdict('deny', why);

// unwrap drops programs that only run another one, with their options and assignments.
function unwrap(words) {
  let rest = words.slice();
  while (rest.length > 1) {
    const first = path.basename(rest[0]);
    if (/^\w+=/.test(first)) {
      rest.shift();
    } else if (WRAPPERS.includes(first)) {
      rest.shift();
      while (rest[0] && rest[0].startsWith('-')) rest.shift();
    } else {
      break;
    }
  }
  return rest;
}

function checkRemove(args) {
  const targets = args.filter((a) => !a.startsWith('-')).map(unquote);
  if (!args.some((a) => RECURSIVE.test(a) || a === '--recursive')) return allow();
  for (const target of targets) {
    if (target === '/' || target === '~' || target === '$HOME' || target === '*') {
      return deny(`rm -r of ${target}`);
    }
    if (path.normalize(target).startsWith('..')) {
      return ask(`rm -r outside the project: ${target}`);
    }
  }
  return allow();
}

function checkGit(args, rules) {
  const [sub, ...rest] = args.filter((a) => a !== '--no-pager');
  switch (sub) {
    case 'push': {
      const branch = rest.filter((a) => !a.startsWith('-'))[1];
      const forced = rest.some((a) => FORCE.test(a));
      if (forced && (!branch || rules.branches.includes(branch))) {
        return deny(`a forced push to ${branch || 'the default branch'}`);
      }
      return forced ? ask(`a forced push to ${branch}`) : allow();
    }
    case 'reset':
      if (rest.includes('--hard')) return ask('git reset --hard loses changes');
      return allow();
    case 'clean':
      if (rest.some((a) => /^-[a-z]*f/.test(a))) return ask('git clean deletes files');
      return allow();
    case 'commit':
      if (rest.includes('--no-verify') || rest.includes('-n')) {
        return deny('a commit without its hooks');
      }
    // falls through
    default:
      return allow();
  }
}

function checkPorts(args, rules) {
  const numbers = args.flatMap((a) => a.match(/\d+/g) || []).map(Number);
  const hit = numbers.find((n) => rules.ports.includes(n));
  return hit ? ask(`port ${hit} belongs to a service`) : allow();
}

function checkPipe(list) {
  for (let i = 1; i < list.length; i++) {
    const before = unwrap(list[i - 1].words);
    const after = unwrap(list[i].words);
    if (list[i].piped && DOWNLOADERS.has(path.basename(before[0])) && SHELLS.has(path.basename(after[0]))) {
      return deny(`${before[0]} is piped into ${after[0]}`);
    }
  }
  return allow();
}

function checkCommand(words, rules) {
  const [name, ...args] = unwrap(words);
  const program = path.basename(name);
  const danger = DANGEROUS.find((d) => d.pattern.test(program));
  if (danger) return deny(`${danger.name}: ${danger.why}`);
  if (Object.hasOwn(MANAGERS, program)) {
    return deny(`use ${MANAGERS[program]} instead of ${program}`);
  }
  if (program === 'rm') return checkRemove(args);
  if (program === 'git') return checkGit(args, rules);
  if (program === 'nc' || program === 'ncat') return checkPorts(args, rules);
  if (program === 'chmod' && args.some((a) => /^0?777$/.test(a))) {
    return ask('chmod 777 opens files to everyone');
  }
  return allow();
}

function bash(input, rules) {
  const text = input.command;
  if (typeof text !== 'string' || !text.trim()) return allow();
  const list = commands(split(text));
  let verdict = checkPipe(list);
  for (const one of list) {
    verdict = verdict.stricter(checkCommand(one.words, rules));
  }
  return verdict;
}

function file(tool, input, rules) {
  const name = String(input.file_path || '');
  const local = name.replace(/^.*?\/project\//, '');
  if (rules.secrets.some((s) => path.basename(local).startsWith(s))) {
    return tool === 'Read' ? ask(`${path.basename(local)} may hold secrets`) : deny(`${path.basename(local)} holds secrets`);
  }
  if (tool === 'Read') return allow();
  const area = rules.protected.find((p) => local.includes(p));
  if (area) return deny(`${area} is generated or reviewed by hand`);
  if (tool === 'Edit' && input.old_string === input.new_string) {
    return ask('the edit changes nothing');
  }
  return allow();
}

function main() {
  let event;
  try {
    event = JSON.parse(fs.readFileSync(0, 'utf8'));
  } catch {
    report.note('the input is not JSON');
    process.exit(1);
  }
  const rules = readRules();
  const input = event.tool_input || {};
  const verdict = event.tool_name === 'Bash' ? bash(input, rules) : file(event.tool_name, input, rules);
  if (verdict.silent) return;
  if (verdict.decision === 'deny') {
    report.note(`denied: ${verdict.why}`);
    process.exitCode = 2;
    return;
  }
  report.decide(verdict.decision, verdict.why);
}

if (require.main === module) main();
