// Starts a page of the reference. The contract and the pictures are in the page, so it also works when it is opened as
// a file.
(() => {
  const { contract, pictures, isControl } = JSON.parse(document.getElementById('data').textContent);
  const { basePath, controlPath, clientId, clientSecret, agentToken, canStartOver, site } =
    globalThis.countersign ?? {};
  // The sandbox in this page (sandbox.js), if the page has one.
  const inPage = globalThis.countersignInPage;
  // The path under which this server answers the page's operations. The mock has no control surface.
  const path = isControl ? controlPath : basePath;
  const servers = [
    ...(path === undefined ? [] : [{ url: location.origin + path, description: 'This sandbox' }]),
    ...(inPage === undefined
      ? []
      : [{ url: isControl ? inPage.controlUrl : inPage.baseUrl, description: 'A sandbox in this page (no server)' }]),
    // On a published site, only the servers in the contract are known.
    ...(path === undefined ? contract.servers : []),
  ];
  // If the page is opened as a file, it has no origin, so no server could allow it to read replies.
  const isFile = location.protocol === 'file:';

  /** Puts the pictures in their places in the guides. */
  const drawPictures = (element) => {
    for (const place of element.querySelectorAll('.picture:empty')) {
      const name = place.className.replace('picture picture-', '');
      place.innerHTML = pictures[name] ?? '';
      const drawing = place.querySelector('svg');
      if (drawing === null) continue;
      makeScrollable(place, drawing.getAttribute('aria-label'));
      // On a phone, a picture shrinks as long as it is readable, and then scrolls.
      drawing.style.minWidth = `${0.78 * drawing.width.baseVal.value}px`;
    }
  };

  /** Lets wide elements scroll on a phone, with the keyboard too. */
  const makeScrollable = (element, label) => {
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', label);
  };

  const widenTables = (element) => {
    for (const table of element.querySelectorAll('table')) {
      if (table.parentElement.className === 'wide') continue;
      const frame = document.createElement('div');
      frame.className = 'wide';
      makeScrollable(frame, 'Table');
      table.replaceWith(frame);
      frame.append(table);
    }
    // A long name may break between its words.
    for (const code of element.querySelectorAll('td code')) {
      const pieces = code.textContent.split(/(?<=[_/.])/).flatMap((piece) => [document.createElement('wbr'), piece]);
      code.replaceChildren(...pieces.slice(1));
    }
    for (const code of element.querySelectorAll('pre code')) code.tabIndex = 0;
  };

  /** Opens the list of the guides, because they are the first thing to read. */
  const openGuides = () => {
    document.querySelector('a[href="#description/introduction"] + button[aria-expanded="false"]')?.click();
  };

  /** Adds elements to the bar above the page, and makes the bar if there is none. */
  const addToHeader = (...elements) => {
    let header = document.querySelector('header.site');
    if (header === null) {
      header = document.createElement('header');
      header.className = 'site';
      document.body.prepend(header);
      document.body.classList.add('has-site');
    }
    header.append(...elements);
  };

  /** On a published site: links to the start page, the other versions and the changelog. */
  const addSite = ({ current, start, changelog, console: watch, versions }) => {
    const link = (href, text) => Object.assign(document.createElement('a'), { href, textContent: text });
    const chooser = document.createElement('select');
    chooser.setAttribute('aria-label', 'Version');
    for (const { name, href } of versions) chooser.add(new Option(name, href, false, name === current));
    chooser.addEventListener('change', () => location.assign(chooser.value));
    const places = [link(start, 'Start'), link(changelog, 'Changelog')];
    if (watch !== undefined) places.push(link(watch, 'Console'));
    addToHeader(...places, chooser);
  };

  /** Resets the platform of this page, and reloads the page. */
  const startOver = async (button) => {
    button.disabled = true;
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    const { ok } = await fetch(`${controlPath ?? inPage.controlUrl}/reset`, {
      method: 'POST',
      headers: { authorization },
    }).catch(() => ({}));
    if (ok) return location.reload();
    button.disabled = false;
    button.textContent = 'Start over (it failed: try again)';
  };

  /** With a sandbox: adds a hint, a link to the console, and a button that starts over. */
  const addStartOver = () => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Start over' });
    button.title =
      'You can send each request unchanged. If an earlier request changed the data that it needs, start over.';
    button.addEventListener('click', () => startOver(button));
    const text = Object.assign(document.createElement('span'), { textContent: button.title });
    const watch = Object.assign(document.createElement('a'), { href: '/console', textContent: 'Console' });
    addToHeader(...(site === undefined ? [text, watch] : []), button);
  };

  /** Makes the samples call this page's server, with its credentials. */
  const wireSamples = () => {
    const operations = Object.values(contract.paths).flatMap((item) => Object.values(item));
    const wired = (source) =>
      source
        .replace(contract.servers[0].url, location.origin + path)
        .replace(
          "clientId: 'sandbox', clientSecret: 'sandbox'",
          `clientId: '${clientId}', clientSecret: '${clientSecret}'`,
        )
        .replace('-u sandbox:sandbox', `-u ${clientId}:${clientSecret}`)
        .replace(/\bagent_\w+/, agentToken ?? '$&');
    for (const sample of operations.flatMap((operation) => operation['x-codeSamples'] ?? [])) {
      sample.source = wired(sample.source);
    }
  };

  // The service and its version, as the name of a downloaded file.
  const fileName = `${contract.info.title} ${contract.info.version}`.toLowerCase().replaceAll(/[^\w-]+/g, '-');

  /**
   * Makes the download button return the contract itself, if it is served beside the page, instead of the page's
   * version of it.
   */
  const downloadOriginal = (address) => {
    const link = Object.assign(document.createElement('a'), { href: address, download: `${fileName}.json` });
    const start = (event) => {
      if (event.target.closest?.('.download-button') === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      link.click();
    };
    document.getElementById('reference').addEventListener('click', start, { capture: true });
  };

  if (path !== undefined && clientId !== undefined) wireSamples();
  const original = site?.contract ?? (path && (isControl ? `${controlPath}/openapi.json` : '/openapi.json'));
  if (original !== undefined && !isFile) downloadOriginal(original);
  const canReset = canStartOver === true && (path !== undefined || inPage !== undefined);
  if (site !== undefined) addSite(site);
  if (canReset) addStartOver();
  if (globalThis.Scalar === undefined) {
    document.getElementById('reference').textContent =
      'scalar.js is missing. Run npm run reference, which puts it beside this page.';
    return;
  }
  globalThis.Scalar.createApiReference('#reference', {
    content: contract,
    slug: fileName,
    servers,
    authentication: {
      ...(clientId === undefined
        ? {}
        : {
            securitySchemes: {
              BasicAuth: { username: clientId, password: clientSecret },
              ...(agentToken === undefined ? {} : { AgentBearer: { token: agentToken } }),
            },
          }),
    },
    plugins: [
      () => ({
        name: 'guides',
        extensions: [],
        markdown({ element }) {
          drawPictures(element);
          widenTables(element);
        },
      }),
    ],
    onLoaded: openGuides,
    // No request goes to another server.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    hideTestRequestButton: isFile || (isControl && path === undefined && inPage === undefined),
    documentDownloadType: 'json',
    defaultOpenFirstTag: false,
    orderSchemaPropertiesBy: 'preserve',
    showOperationId: true,
  });
})();
