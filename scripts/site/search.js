// The search of the documentation. It uses the index that was built with the site, so it sends no request.
const { options, index } = globalThis.docsSearch;
const search = globalThis.MiniSearch.loadJS(index, options);
const field = document.getElementById('search');
const list = document.getElementById('found');

field.addEventListener('input', () => {
  const found = search.search(field.value).slice(0, 12);
  list.replaceChildren(
    ...found.map(({ address, title, section }) => {
      const link = document.createElement('a');
      link.href = address;
      link.textContent = section === '' ? title : `${title}: ${section}`;
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
  if (found.length === 0 && field.value.trim() !== '') list.textContent = 'Nothing found.';
});
