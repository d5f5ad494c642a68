/** How an administrator finds messages: a client's, a recipient's, or those with a client's reference; newest first. */
import type { Message } from '../message/message.ts';

export type MessageFilter =
  | { readonly clientId: string; readonly reference?: string | undefined }
  | { readonly recipient: string };

export interface MessagePage {
  readonly messages: readonly Message[];
  /** Where there may be more. */
  readonly nextCursor?: string;
}

export interface MessageSearch {
  search(filter: MessageFilter, limit: number, cursor: string | undefined): Promise<MessagePage>;
}
