const { embeddedBy } = document.documentElement.dataset;

/** Says whether the site that may embed this page has put it into a frame. */
export const isEmbedded = parent !== window && embeddedBy !== '';

/**
 * Asks the page around this one for a token. Only a page of EMBEDDED_BY gets the question, and only its messages count.
 * @param refused the last token, if the renderer has refused it
 * @returns null if the viewer may see no dashboard now
 */
export function askHost(refused) {
  return new Promise((settle) => {
    const hear = ({ source, origin, data }) => {
      if (source !== parent || origin !== embeddedBy || data?.type !== 'token') return;
      removeEventListener('message', hear);
      settle(data.userGroupToken);
    };
    addEventListener('message', hear);
    tellHost(refused);
  });
}

/** Asks for a token without waiting for it: if the second one is refused as well, the page around this one learns it. */
export function tellHost(refused) {
  parent.postMessage({ type: 'token-wanted', refused }, embeddedBy);
}
