/** Does one thing and says how it went. */
export async function step<Answer>(title: string, act: () => Promise<Answer>): Promise<Answer> {
  const start = performance.now();
  try {
    const answer = await act();
    console.log(`✓ ${title} (${((performance.now() - start) / 1_000).toFixed(1)} s)`);
    return answer;
  } catch (error) {
    console.log(`✗ ${title}`);
    throw error;
  }
}
