'use strict';

// Divide a command line into words and commands, as far as a guard needs it.

const OPERATORS = ['&&', '||', '|', ';', '&'];
const QUOTES = { "'": true, '"': true };

function split(text) {
  const words = [];
  let word = '';
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      word += c;
      if (c === quote) quote = '';
    } else if (QUOTES[c]) {
      quote = c;
      word += c;
    } else if (c === '\\' && i + 1 < text.length) {
      i++;
      word += text[i];
    } else if (/\s/.test(c)) {
      if (word) words.push(word);
      word = '';
    } else {
      const operator = OPERATORS.find((o) => text.startsWith(o, i));
      if (operator) {
        if (word) words.push(word);
        words.push({ operator });
        word = '';
        i += operator.length - 1;
      } else {
        word += c;
      }
    }
  }
  if (word) words.push(word);
  return words;
}

function commands(words) {
  const list = [];
  let current = { words: [], piped: false };
  for (const w of words) {
    if (typeof w === 'string') {
      current.words.push(w);
      continue;
    }
    if (current.words.length) list.push(current);
    current = { words: [], piped: w.operator === '|' };
  }
  if (current.words.length) list.push(current);
  return list;
}

const unquote = (word) => word.replace(/^(['"])(.*)\1$/, '$2');

module.exports = { split, commands, unquote };
