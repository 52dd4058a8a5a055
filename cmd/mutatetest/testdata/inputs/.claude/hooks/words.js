// Add what a project means by its words to prompts that use them.
const fs = require('fs');
const path = require('path');

const file = path.join(__dirname, '..', 'rules', ['words', 'json'].join('.'));
const { words, blocked } = JSON.parse(fs.readFileSync(file, 'utf8'));
const { prompt } = JSON.parse(fs.readFileSync(0, 'utf8'));
const found = blocked.find((b) => prompt.includes(b));
if (found) {
  console.error(`a prompt must not contain ${found}`);
  process.exit(2);
}
for (const [word, meaning] of Object.entries(words)) {
  if (prompt.includes(word)) console.log(`${word}: ${meaning}`);
}
