const HINTS = new Map([
  ['deploy', 'deployments go through the release branch'],
  ['test', 'run the tests with make test'],
  ['database', 'migrations are generated'],
]);

const QUESTIONS = ['why', 'how', 'what'];

export function find(prompt) {
  const words = prompt.toLowerCase().split(/\W+/);
  return [...HINTS].filter(([word]) => words.includes(word)).map(([, hint]) => hint);
}

export const isQuestion = (prompt) => {
  const first = prompt.trim().split(' ')[0].toLowerCase();
  return prompt.trim().endsWith('?') || QUESTIONS.includes(first);
};
