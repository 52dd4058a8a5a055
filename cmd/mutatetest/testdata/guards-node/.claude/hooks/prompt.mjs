// Add hints to prompts, and stop those with keys in them.
import { readFileSync } from 'node:fs';
import { keysIn, mask } from '../lib/keys.mjs';
import * as hints from '../lib/hints.mjs';

const { prompt = '' } = JSON.parse(readFileSync(0, 'utf8'));
const keys = keysIn(prompt);
if (keys.length > 0) {
  console.error(`the prompt contains ${keys.length === 1 ? 'a key' : 'keys'}: ${keys.map(mask).join(', ')}`);
  process.exit(2);
}
const found = hints.find(prompt);
for (const hint of found) {
  console.log(`hint: ${hint}`);
}
if (found.length === 0 && hints.isQuestion(prompt)) {
  console.log('hint: answer first, edit later');
}
