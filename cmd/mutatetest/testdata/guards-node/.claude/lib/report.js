'use strict';

const PREFIX = '[guard]';
const MOST = 200;

function cut(text) {
  return text.length > MOST ? `${text.slice(0, MOST)}...` : text;
}

exports.note = (text) => {
  process.stderr.write(`${PREFIX} ${cut(text)}\n`);
};

exports.decide = (decision, why) => {
  const output = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: cut(why),
    },
  };
  console.log(JSON.stringify(output));
};
