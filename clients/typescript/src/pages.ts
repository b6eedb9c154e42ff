/** Lists that the API returns page by page. */

interface Page {
  cursor?: string | null;
}

/** Yield all pages of a list. `fetchPage` gets the query that selects a page. */
export async function* pages<P extends Page>(fetchPage: (query: { cursor?: string }) => Promise<P>): AsyncGenerator<P> {
  for (let cursor: string | null | undefined; ; ) {
    const page = await fetchPage(cursor ? { cursor } : {});
    yield page;
    cursor = page.cursor;
    if (!cursor) return;
  }
}
