/**
 * The guides for agents: the chapter about them, and the one on idempotency.
 * @param guides all guides, as Markdown
 * @throws Error if there is no such chapter
 */
export function guideForAgents(guides: string): string {
  return ['Agents', 'Idempotency']
    .map((title) => {
      const chapter = guides.split(/^(?=## )/m).find((one) => one.startsWith(`## ${title}\n`));
      if (chapter === undefined) throw new Error(`The guides have no chapter ${title}`);
      return chapter.trim();
    })
    .join('\n\n');
}
