/** A list in pages: awaited it is the first page, iterated it is every item of every page. */
import { unexpectedAnswer } from './errors.ts';
import { checkOptions } from './options.ts';

interface CursorPage {
  readonly next_cursor?: string | null | undefined;
}

/** A page as the gateway sent it, which can fetch the one after it. */
export type ListPage<Page> = Page & {
  /** Undefined after the last page. */
  nextPage(): Promise<ListPage<Page> | undefined>;
};

export class Pages<Page extends CursorPage, Item>
  implements PromiseLike<ListPage<Page>>, AsyncIterable<Item>
{
  readonly #fetchPage: (cursor: string | undefined) => Promise<Page>;
  readonly #itemsOf: (page: Page) => readonly Item[];
  readonly #maxItems: number;
  #first: Promise<ListPage<Page>> | undefined;

  constructor(
    fetchPage: (cursor: string | undefined) => Promise<Page>,
    itemsOf: (page: Page) => readonly Item[],
    maxItems?: number,
  ) {
    checkOptions({ maxItems });
    this.#fetchPage = fetchPage;
    this.#itemsOf = itemsOf;
    this.#maxItems = maxItems ?? Number.POSITIVE_INFINITY;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise of the first page
  then<Result1 = ListPage<Page>, Result2 = never>(
    onFulfilled?: ((page: ListPage<Page>) => Result1 | PromiseLike<Result1>) | null,
    onRejected?: ((reason: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    this.#first ??= this.#page(undefined);
    return this.#first.then(onFulfilled, onRejected);
  }

  catch<Result = never>(
    onRejected?: ((reason: unknown) => Result | PromiseLike<Result>) | null,
  ): Promise<ListPage<Page> | Result> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<ListPage<Page>> {
    return this.then().finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let left = this.#maxItems;
    for (
      let page = left > 0 ? await this.then() : undefined;
      page !== undefined;
      page = await page.nextPage()
    ) {
      for (const item of this.#itemsOf(page)) {
        yield item;
        left -= 1;
        if (left <= 0) return;
      }
    }
  }

  /** Every item, or as many as `maxItems` says. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  async #page(cursor: string | undefined): Promise<ListPage<Page>> {
    const page = await this.#fetchPage(cursor);
    if (!Array.isArray(this.#itemsOf(page))) throw unexpectedAnswer(200);
    const nextPage = async (): Promise<ListPage<Page> | undefined> => {
      const { next_cursor: next } = page;
      return next === undefined || next === null ? undefined : await this.#page(next);
    };
    // It is no field of the page: a copy and its JSON have what the gateway sent.
    return Object.defineProperty(page, 'nextPage', { value: nextPage }) as ListPage<Page>;
  }
}
