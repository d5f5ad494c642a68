/** The search field of every page: whatever people have at hand, such as a number, an id, a reference or a name. */
import Input from '@cloudscape-design/components/input';
import { type FormEvent, useState } from 'react';
import { go, linkTo } from './route.ts';

export function SearchBox() {
  const [text, setText] = useState('');
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    go(linkTo('search', undefined, { q: wanted }));
  };
  return (
    <search>
      <form onSubmit={search}>
        <Input
          type="search"
          ariaLabel="Search"
          placeholder="Number, id, reference or client"
          value={text}
          onChange={({ detail }) => setText(detail.value)}
        />
      </form>
    </search>
  );
}
