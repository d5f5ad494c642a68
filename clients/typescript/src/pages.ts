/** A list in pages: awaited it is the first page, iterated it is every item of every page. */

interface CursorPage {
  readonly next_cursor?: string | null | undefined;
}

export class Pages<Page extends CursorPage, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  readonly #fetchPage: (cursor: string | undefined) => Promise<Page>;
  readonly #itemsOf: (page: Page) => readonly Item[];
  #first: Promise<Page> | undefined;

  constructor(
    fetchPage: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
  ) {
    this.#fetchPage = fetchPage;
    this.#itemsOf = itemsOf;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise of the first page
  then<Result1 = Page, Result2 = never>(
    onFulfilled?: ((page: Page) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    this.#first ??= this.#fetchPage(undefined);
    return this.#first.then(onFulfilled, onRejected);
  }

  catch<Result = never>(
    onRejected?: ((reason: unknown) => Result | PromiseLike<Result>) | null,
  ): Promise<Page | Result> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page> {
    return this.then().finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page: Page = await this.then(); ; ) {
      yield* this.#itemsOf(page);
      const { next_cursor: cursor } = page;
      if (cursor === undefined || cursor === null) return;
      page = await this.#fetchPage(cursor);
    }
  }
}
