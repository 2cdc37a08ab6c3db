/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate and d3-scale (ISC, Mike Bostock). */
var V=globalThis,F=V.ShadowRoot&&(V.ShadyCSS===void 0||V.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,le=Symbol(),Ae=new WeakMap,U=class{constructor(e,t,r){if(this._$cssResult$=!0,r!==le)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=e,this.t=t}get styleSheet(){let e=this.o,t=this.t;if(F&&e===void 0){let r=t!==void 0&&t.length===1;r&&(e=Ae.get(t)),e===void 0&&((this.o=e=new CSSStyleSheet).replaceSync(this.cssText),r&&Ae.set(t,e))}return e}toString(){return this.cssText}},W=s=>new U(typeof s=="string"?s:s+"",void 0,le),w=(s,...e)=>{let t=s.length===1?s[0]:e.reduce((r,n,o)=>r+(i=>{if(i._$cssResult$===!0)return i.cssText;if(typeof i=="number")return i;throw Error("Value passed to 'css' function must be a 'css' function result: "+i+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(n)+s[o+1],s[0]);return new U(t,s,le)},Se=(s,e)=>{if(F)s.adoptedStyleSheets=e.map(t=>t instanceof CSSStyleSheet?t:t.styleSheet);else for(let t of e){let r=document.createElement("style"),n=V.litNonce;n!==void 0&&r.setAttribute("nonce",n),r.textContent=t.cssText,s.appendChild(r)}},de=F?s=>s:s=>s instanceof CSSStyleSheet?(e=>{let t="";for(let r of e.cssRules)t+=r.cssText;return W(t)})(s):s;var{is:yt,defineProperty:$t,getOwnPropertyDescriptor:xt,getOwnPropertyNames:kt,getOwnPropertySymbols:At,getPrototypeOf:St}=Object,J=globalThis,_e=J.trustedTypes,_t=_e?_e.emptyScript:"",Et=J.reactiveElementPolyfillSupport,O=(s,e)=>s,ce={toAttribute(s,e){switch(e){case Boolean:s=s?_t:null;break;case Object:case Array:s=s==null?s:JSON.stringify(s)}return s},fromAttribute(s,e){let t=s;switch(e){case Boolean:t=s!==null;break;case Number:t=s===null?null:Number(s);break;case Object:case Array:try{t=JSON.parse(s)}catch{t=null}}return t}},Te=(s,e)=>!yt(s,e),Ee={attribute:!0,type:String,converter:ce,reflect:!1,useDefault:!1,hasChanged:Te};Symbol.metadata??=Symbol("metadata"),J.litPropertyMetadata??=new WeakMap;var $=class extends HTMLElement{static addInitializer(e){this._$Ei(),(this.l??=[]).push(e)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(e,t=Ee){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(e)&&((t=Object.create(t)).wrapped=!0),this.elementProperties.set(e,t),!t.noAccessor){let r=Symbol(),n=this.getPropertyDescriptor(e,r,t);n!==void 0&&$t(this.prototype,e,n)}}static getPropertyDescriptor(e,t,r){let{get:n,set:o}=xt(this.prototype,e)??{get(){return this[t]},set(i){this[t]=i}};return{get:n,set(i){let a=n?.call(this);o?.call(this,i),this.requestUpdate(e,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(e){return this.elementProperties.get(e)??Ee}static _$Ei(){if(this.hasOwnProperty(O("elementProperties")))return;let e=St(this);e.finalize(),e.l!==void 0&&(this.l=[...e.l]),this.elementProperties=new Map(e.elementProperties)}static finalize(){if(this.hasOwnProperty(O("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(O("properties"))){let t=this.properties,r=[...kt(t),...At(t)];for(let n of r)this.createProperty(n,t[n])}let e=this[Symbol.metadata];if(e!==null){let t=litPropertyMetadata.get(e);if(t!==void 0)for(let[r,n]of t)this.elementProperties.set(r,n)}this._$Eh=new Map;for(let[t,r]of this.elementProperties){let n=this._$Eu(t,r);n!==void 0&&this._$Eh.set(n,t)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(e){let t=[];if(Array.isArray(e)){let r=new Set(e.flat(1/0).reverse());for(let n of r)t.unshift(de(n))}else e!==void 0&&t.push(de(e));return t}static _$Eu(e,t){let r=t.attribute;return r===!1?void 0:typeof r=="string"?r:typeof e=="string"?e.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(e=>this.enableUpdating=e),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(e=>e(this))}addController(e){(this._$EO??=new Set).add(e),this.renderRoot!==void 0&&this.isConnected&&e.hostConnected?.()}removeController(e){this._$EO?.delete(e)}_$E_(){let e=new Map,t=this.constructor.elementProperties;for(let r of t.keys())this.hasOwnProperty(r)&&(e.set(r,this[r]),delete this[r]);e.size>0&&(this._$Ep=e)}createRenderRoot(){let e=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Se(e,this.constructor.elementStyles),e}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(e=>e.hostConnected?.())}enableUpdating(e){}disconnectedCallback(){this._$EO?.forEach(e=>e.hostDisconnected?.())}attributeChangedCallback(e,t,r){this._$AK(e,r)}_$ET(e,t){let r=this.constructor.elementProperties.get(e),n=this.constructor._$Eu(e,r);if(n!==void 0&&r.reflect===!0){let o=(r.converter?.toAttribute!==void 0?r.converter:ce).toAttribute(t,r.type);this._$Em=e,o==null?this.removeAttribute(n):this.setAttribute(n,o),this._$Em=null}}_$AK(e,t){let r=this.constructor,n=r._$Eh.get(e);if(n!==void 0&&this._$Em!==n){let o=r.getPropertyOptions(n),i=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:ce;this._$Em=n;let a=i.fromAttribute(t,o.type);this[n]=a??this._$Ej?.get(n)??a,this._$Em=null}}requestUpdate(e,t,r,n=!1,o){if(e!==void 0){let i=this.constructor;if(n===!1&&(o=this[e]),r??=i.getPropertyOptions(e),!((r.hasChanged??Te)(o,t)||r.useDefault&&r.reflect&&o===this._$Ej?.get(e)&&!this.hasAttribute(i._$Eu(e,r))))return;this.C(e,t,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(e,t,{useDefault:r,reflect:n,wrapped:o},i){r&&!(this._$Ej??=new Map).has(e)&&(this._$Ej.set(e,i??t??this[e]),o!==!0||i!==void 0)||(this._$AL.has(e)||(this.hasUpdated||r||(t=void 0),this._$AL.set(e,t)),n===!0&&this._$Em!==e&&(this._$Eq??=new Set).add(e))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(t){Promise.reject(t)}let e=this.scheduleUpdate();return e!=null&&await e,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[n,o]of this._$Ep)this[n]=o;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[n,o]of r){let{wrapped:i}=o,a=this[n];i!==!0||this._$AL.has(n)||a===void 0||this.C(n,void 0,o,a)}}let e=!1,t=this._$AL;try{e=this.shouldUpdate(t),e?(this.willUpdate(t),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(t)):this._$EM()}catch(r){throw e=!1,this._$EM(),r}e&&this._$AE(t)}willUpdate(e){}_$AE(e){this._$EO?.forEach(t=>t.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(e)),this.updated(e)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(e){return!0}update(e){this._$Eq&&=this._$Eq.forEach(t=>this._$ET(t,this[t])),this._$EM()}updated(e){}firstUpdated(e){}};$.elementStyles=[],$.shadowRootOptions={mode:"open"},$[O("elementProperties")]=new Map,$[O("finalized")]=new Map,Et?.({ReactiveElement:$}),(J.reactiveElementVersions??=[]).push("2.1.2");var be=globalThis,Re=s=>s,Y=be.trustedTypes,Me=Y?Y.createPolicy("lit-html",{createHTML:s=>s}):void 0,Oe="$lit$",A=`lit$${Math.random().toFixed(9).slice(2)}$`,He="?"+A,Tt=`<${He}>`,E=document,q=()=>E.createComment(""),I=s=>s===null||typeof s!="object"&&typeof s!="function",we=Array.isArray,Rt=s=>we(s)||typeof s?.[Symbol.iterator]=="function",he=`[ 	
\f\r]`,H=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ce=/-->/g,Pe=/>/g,S=RegExp(`>|${he}(?:([^\\s"'>=/]+)(${he}*=${he}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Ne=/'/g,Le=/"/g,qe=/^(?:script|style|textarea|title)$/i,ve=s=>(e,...t)=>({_$litType$:s,strings:e,values:t}),d=ve(1),$r=ve(2),xr=ve(3),y=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),Ue=new WeakMap,_=E.createTreeWalker(E,129);function Ie(s,e){if(!we(s)||!s.hasOwnProperty("raw"))throw Error("invalid template strings array");return Me!==void 0?Me.createHTML(e):e}var Mt=(s,e)=>{let t=s.length-1,r=[],n,o=e===2?"<svg>":e===3?"<math>":"",i=H;for(let a=0;a<t;a++){let l=s[a],c,u,p=-1,m=0;for(;m<l.length&&(i.lastIndex=m,u=i.exec(l),u!==null);)m=i.lastIndex,i===H?u[1]==="!--"?i=Ce:u[1]!==void 0?i=Pe:u[2]!==void 0?(qe.test(u[2])&&(n=RegExp("</"+u[2],"g")),i=S):u[3]!==void 0&&(i=S):i===S?u[0]===">"?(i=n??H,p=-1):u[1]===void 0?p=-2:(p=i.lastIndex-u[2].length,c=u[1],i=u[3]===void 0?S:u[3]==='"'?Le:Ne):i===Le||i===Ne?i=S:i===Ce||i===Pe?i=H:(i=S,n=void 0);let b=i===S&&s[a+1].startsWith("/>")?" ":"";o+=i===H?l+Tt:p>=0?(r.push(c),l.slice(0,p)+Oe+l.slice(p)+A+b):l+A+(p===-2?a:b)}return[Ie(s,o+(s[t]||"<?>")+(e===2?"</svg>":e===3?"</math>":"")),r]},z=class s{constructor({strings:e,_$litType$:t},r){let n;this.parts=[];let o=0,i=0,a=e.length-1,l=this.parts,[c,u]=Mt(e,t);if(this.el=s.createElement(c,r),_.currentNode=this.el.content,t===2||t===3){let p=this.el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(n=_.nextNode())!==null&&l.length<a;){if(n.nodeType===1){if(n.hasAttributes())for(let p of n.getAttributeNames())if(p.endsWith(Oe)){let m=u[i++],b=n.getAttribute(p).split(A),v=/([.?@])?(.*)/.exec(m);l.push({type:1,index:o,name:v[2],strings:b,ctor:v[1]==="."?pe:v[1]==="?"?me:v[1]==="@"?ge:C}),n.removeAttribute(p)}else p.startsWith(A)&&(l.push({type:6,index:o}),n.removeAttribute(p));if(qe.test(n.tagName)){let p=n.textContent.split(A),m=p.length-1;if(m>0){n.textContent=Y?Y.emptyScript:"";for(let b=0;b<m;b++)n.append(p[b],q()),_.nextNode(),l.push({type:2,index:++o});n.append(p[m],q())}}}else if(n.nodeType===8)if(n.data===He)l.push({type:2,index:o});else{let p=-1;for(;(p=n.data.indexOf(A,p+1))!==-1;)l.push({type:7,index:o}),p+=A.length-1}o++}}static createElement(e,t){let r=E.createElement("template");return r.innerHTML=e,r}};function M(s,e,t=s,r){if(e===y)return e;let n=r!==void 0?t._$Co?.[r]:t._$Cl,o=I(e)?void 0:e._$litDirective$;return n?.constructor!==o&&(n?._$AO?.(!1),o===void 0?n=void 0:(n=new o(s),n._$AT(s,t,r)),r!==void 0?(t._$Co??=[])[r]=n:t._$Cl=n),n!==void 0&&(e=M(s,n._$AS(s,e.values),n,r)),e}var ue=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:r}=this._$AD,n=(e?.creationScope??E).importNode(t,!0);_.currentNode=n;let o=_.nextNode(),i=0,a=0,l=r[0];for(;l!==void 0;){if(i===l.index){let c;l.type===2?c=new D(o,o.nextSibling,this,e):l.type===1?c=new l.ctor(o,l.name,l.strings,this,e):l.type===6&&(c=new fe(o,this,e)),this._$AV.push(c),l=r[++a]}i!==l?.index&&(o=_.nextNode(),i++)}return _.currentNode=E,n}p(e){let t=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(e,r,t),t+=r.strings.length-2):r._$AI(e[t])),t++}},D=class s{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,r,n){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=r,this.options=n,this._$Cv=n?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=M(this,e,t),I(e)?e===h||e==null||e===""?(this._$AH!==h&&this._$AR(),this._$AH=h):e!==this._$AH&&e!==y&&this._(e):e._$litType$!==void 0?this.$(e):e.nodeType!==void 0?this.T(e):Rt(e)?this.k(e):this._(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==h&&I(this._$AH)?this._$AA.nextSibling.data=e:this.T(E.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:r}=e,n=typeof r=="number"?this._$AC(e):(r.el===void 0&&(r.el=z.createElement(Ie(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===n)this._$AH.p(t);else{let o=new ue(n,this),i=o.u(this.options);o.p(t),this.T(i),this._$AH=o}}_$AC(e){let t=Ue.get(e.strings);return t===void 0&&Ue.set(e.strings,t=new z(e)),t}k(e){we(this._$AH)||(this._$AH=[],this._$AR());let t=this._$AH,r,n=0;for(let o of e)n===t.length?t.push(r=new s(this.O(q()),this.O(q()),this,this.options)):r=t[n],r._$AI(o),n++;n<t.length&&(this._$AR(r&&r._$AB.nextSibling,n),t.length=n)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let r=Re(e).nextSibling;Re(e).remove(),e=r}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},C=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,r,n,o){this.type=1,this._$AH=h,this._$AN=void 0,this.element=e,this.name=t,this._$AM=n,this.options=o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=h}_$AI(e,t=this,r,n){let o=this.strings,i=!1;if(o===void 0)e=M(this,e,t,0),i=!I(e)||e!==this._$AH&&e!==y,i&&(this._$AH=e);else{let a=e,l,c;for(e=o[0],l=0;l<o.length-1;l++)c=M(this,a[r+l],t,l),c===y&&(c=this._$AH[l]),i||=!I(c)||c!==this._$AH[l],c===h?e=h:e!==h&&(e+=(c??"")+o[l+1]),this._$AH[l]=c}i&&!n&&this.j(e)}j(e){e===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??"")}},pe=class extends C{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===h?void 0:e}},me=class extends C{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==h)}},ge=class extends C{constructor(e,t,r,n,o){super(e,t,r,n,o),this.type=5}_$AI(e,t=this){if((e=M(this,e,t,0)??h)===y)return;let r=this._$AH,n=e===h&&r!==h||e.capture!==r.capture||e.once!==r.once||e.passive!==r.passive,o=e!==h&&(r===h||n);n&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},fe=class{constructor(e,t,r){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(e){M(this,e)}};var Ct=be.litHtmlPolyfillSupport;Ct?.(z,D),(be.litHtmlVersions??=[]).push("3.3.3");var ze=(s,e,t)=>{let r=t?.renderBefore??e,n=r._$litPart$;if(n===void 0){let o=t?.renderBefore??null;r._$litPart$=n=new D(e.insertBefore(q(),o),o,void 0,t??{})}return n._$AI(s),n};var ye=globalThis,f=class extends ${constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let e=super.createRenderRoot();return this.renderOptions.renderBefore??=e.firstChild,e}update(e){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(e),this._$Do=ze(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return y}};f._$litElement$=!0,f.finalized=!0,ye.litElementHydrateSupport?.({LitElement:f});var Pt=ye.litElementPolyfillSupport;Pt?.({LitElement:f});(ye.litElementVersions??=[]).push("4.2.2");var je={ink:"#1c2430",soft:"#566170",line:"#dfe4ea",paper:"#ffffff",card:"#f6f8fa",accent:"#33475f",accentSoft:"#e6ebf2",mark:"#b3261e",negative:"#4a5360",query:"#6f3fa8",key:"#00756c",value:"#9a5a00",weight:"#1c5fb0",context:"#a8236b",output:"#2b7320"},Be={ink:"#e6eaf0",soft:"#a3aebc",line:"#323b47",paper:"#14181e",card:"#1c222a",accent:"#b4c4d8",accentSoft:"#2a3543",mark:"#f59b93",negative:"#9aa5b4",query:"#c7acf5",key:"#5fd0c5",value:"#f2b45a",weight:"#7db4f5",context:"#f28fc0",output:"#8fd47e"},Or={light:[je.paper,"#6ba4de","#06285e"],dark:[Be.paper,"#2b69b0","#d3e8ff"]};function De(s){let e=t=>t.replace(/[A-Z]/,r=>`-${r.toLowerCase()}`);return Object.entries(s).map(([t,r])=>`--${e(t)}:${r};`).join("")}var Ke=W(`:host{${De(je)}}@media (prefers-color-scheme:dark){:host{${De(Be)}}}`);var P=w`
  ${Ke}
  :host {
    color-scheme: light dark;
    --small: 0.9375rem; --tiny: 0.875rem;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (min-width: 75rem) { :host { --small: 1rem; } }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  sub, sup { font-size: var(--tiny); }
  .soft { color: var(--soft); }
  .small { font-size: var(--small); }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: var(--small); overflow-wrap: anywhere; }
  .hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  button, select, input { font: inherit; color: inherit; }
  button, select {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2rem; max-width: 100%;
  }
  button { cursor: pointer; }
  button:hover:enabled, select:hover { border-color: var(--soft); }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  button:disabled { color: var(--soft); cursor: default; }
  select { text-overflow: ellipsis; }
  input[type="range"] { accent-color: var(--accent); vertical-align: middle; }

  [role="tablist"] {
    display: flex; gap: 0.25rem 1.25rem; overflow-x: auto; overflow-y: hidden;
    margin: 0.5rem 0 1.25rem; scrollbar-width: none;
    box-shadow: inset 0 -1px var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; white-space: nowrap; flex: none;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: var(--small); color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: var(--small); color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: var(--small);
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .primary { background: var(--accent); color: var(--paper); border-color: var(--accent); min-width: 6.5rem; }
  button.primary[aria-pressed="true"] { background: var(--paper); color: var(--accent); }
  .options > summary { cursor: pointer; color: var(--soft); font-size: var(--small); width: fit-content; }
  .options-body { display: grid; gap: 0.75rem; padding-top: 0.75rem; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: var(--small); max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: var(--small); }
  .placeholder {
    border: 1px dashed var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem;
    background: var(--card);
  }
  .scroll { overflow: auto; max-width: 100%; }
  canvas { display: block; image-rendering: pixelated; }
  .legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.25rem; align-items: center; }
  .legend span { display: inline-flex; align-items: center; gap: 0.4rem; }
  .ramp { width: 8rem; height: 0.75rem; border-radius: 2px; border: 1px solid var(--line); }
  .strip { width: 100%; height: 1.75rem; border-radius: 3px; border: 1px solid var(--line); }

  @media (prefers-reduced-motion: reduce) {
    * { transition: none !important; animation: none !important; }
  }
  @media (forced-colors: active) {
    button[aria-pressed="true"], [role="tab"][aria-selected="true"] {
      border-color: Highlight; forced-color-adjust: none; background: Highlight;
      color: HighlightText;
    }
  }
  @media print {
    [role="tablist"], .controls { display: none; }
    .scroll { overflow: visible; max-height: none !important; }
  }
`;var x=class extends Error{constructor(t,r,n){super(t);this.status=r;this.retryAfter=n}status;retryAfter},Ve="regard-key",j={get:()=>sessionStorage.getItem(Ve)??"",set:s=>sessionStorage.setItem(Ve,s)};async function Fe(){return(await X("v1/models")).models}function We(s,e,t,r){return X("v1/translate",{...Z(s),texts:e,...t},r)}async function G(s,e,t,r){let n={...Z(s),source:e,target:t};return JSON.stringify((await X("v1/explain",n,r)).record)}async function Je(s,e,t,r){let n={...Z(s),source:e,changes:t};return JSON.stringify((await X("v1/intervene",n,r)).record)}async function Ye(s,e,t,r){let n=new URLSearchParams({name:s.name,...Z(e)}),o={"Content-Type":"application/octet-stream",Accept:"text/event-stream"},a=(await Ze(`v1/documents?${n}`,{method:"POST",body:s,headers:o,signal:t})).body?.pipeThrough(new TextDecoderStream).getReader(),l="";for(;;){let c=await a?.read().catch(()=>{});if(!c||c.done)break;l+=c.value;let u=l.split(`

`);l=u.pop()??"";for(let p of u){let[,m,b]=/^event: (\w+)\ndata: (.*)$/su.exec(p)??[],v=b?JSON.parse(b):{};if(m==="progress"&&r(v.done,v.total),m==="error")throw new x(v.error,v.status,0);if(m==="done")return v}}throw new x("The connection was lost. Try again.",0,0)}function Z(s){let e=s.target_language;return{model:s.name,...e&&{target_language:e}}}async function X(s,e,t){let r={signal:t??null};if(e){let o={"Content-Type":"application/json"};Object.assign(r,{method:"POST",body:JSON.stringify(e),headers:o})}return await(await Ze(s,r)).json().catch(o=>{throw t?.aborted?o:Ge()})}function Ge(){return new x("The server does not answer. Check that it is running.",0,0)}async function Ze(s,e){let t=new Headers(e.headers);j.get()&&t.set("Authorization",`Bearer ${j.get()}`);let r;try{r=await fetch(s,{...e,headers:t,cache:"no-store"})}catch(a){throw e.signal?.aborted?a:Ge()}if(r.ok)return r;let o=(await r.json().catch(()=>({}))).error??`The server answered with status ${r.status}.`,i=Number(r.headers.get("Retry-After"))||0;throw new x(o,r.status,i)}var Nt={"low probability under the model":"The model is unsure of the whole sentence.","token probabilities vary widely":"The model is unsure of parts of the sentence.","one token or the end is very unlikely":"The model is unsure of at least one word.","consecutive source words have no attention":"Several words in a row may not be translated.","repeated words":"Words are repeated.","short for its source":"It is short; something may be missing.","long for its source":"It is long; something may have been added."};function Q(s){let e=/^Check the translation: (.*)\.$/u.exec(s)?.[1]??"";return Nt[e]??s.replace("Source words without a counterpart","Not found in it")}function ee(s){let e=Array.from(s);return`“${e.length>30?`${e.slice(0,29).join("").trim()}…`:s}”`}var Lt=new Intl.DisplayNames(["en"],{type:"language",fallback:"code"});function B(s){if(!s)return"";try{return Lt.of(s)??s}catch{return s}}function Xe(s,e){let{name:t,source_language:r,target_language:n}=s;if(!r||!n)return t;let o=`${B(r)} → ${B(n)}`;return e.filter(a=>a.source_language===r&&a.target_language===n).length>1?`${o} (${t})`:o}function T(s,e){let t=e.filter(i=>i.name===s.name).length>1,{name:r,source_language:n,target_language:o}=s;return t?`${r} ${n}-${o}`:r}function Qe(s,e){if(s.source_language)return e.find(t=>t.source_language===s.target_language&&t.target_language===s.source_language)}var $e=20,te=class extends f{static styles=[P,w`
      section {
        margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
        border-radius: 12px; display: grid; gap: 0.6rem; justify-items: start;
      }
      h2 { font-size: var(--small); }
      progress { width: 100%; accent-color: var(--accent); height: 0.5rem; }
      .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
      button { min-height: 2.75rem; }
      button.save { background: var(--accent); border-color: var(--accent); color: var(--paper); }
      ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.4rem; }
      li { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      .failed { border-inline-start: 3px solid var(--mark); padding-inline-start: 0.75rem; }
      @media (max-width: 46rem) { section { padding: 1rem; } }
    `];#e=null;#t="";#n=null;#s=new AbortController;async open(e,t){this.#d(),this.#t=e.name,this.#n=t;let{signal:r}=this.#s;this.#l({kind:"running",done:0,total:0});try{let n=await Ye(e,t,r,(i,a)=>{r.aborted||this.#l({kind:"running",done:i,total:a})});if(r.aborted)return;let o=Uint8Array.from(atob(n.document),i=>i.charCodeAt(0));this.#l({kind:"done",document:n,file:new Blob([o])})}catch(n){if(r.aborted)return;let o=n instanceof Error?n.message:String(n);this.#l({kind:"failed",message:o})}}render(){let e=this.#e;return e?d`<section aria-label="document" data-testid="document">
      <h2><bdi>${this.#t}</bdi></h2>
      ${e.kind==="running"?this.#r(e.done,e.total):h}
      ${e.kind==="failed"?d`<p class="failed" role="alert">${e.message}</p>`:h}
      ${e.kind==="done"?this.#i(e.document):h}
      <div class="buttons">
        ${e.kind==="done"?d`<button class="save" data-testid="save-document" @click=${()=>Ut(e.file,this.#a())}>Save ${this.#a()}</button>`:h}
        <button data-testid="close-document" @click=${()=>this.#d()}
          >${e.kind==="running"?"Cancel":"Close"}</button></div>
      ${e.kind==="done"?this.#o(e.document):h}
    </section>`:h}#r(e,t){let r=t?e/t:void 0;return d`<p class="small soft" role="status" data-testid="document-progress">${t?`${K(e)} of ${K(t)} texts`:"Reading the document…"}</p><progress aria-label="progress" max="1" .value=${r??0}></progress>`}#i({report:e}){let t=e.to_check?`${K(e.to_check)} to check`:"nothing to check";return d`<p role="status" data-testid="document-summary">${K(e.segments.length)}
      texts translated, ${t}.</p>`}#o({report:e}){let t=e.segments.filter(({notes:r})=>r.length);return t.length?d`<ul data-testid="document-checks">${t.slice(0,$e).map(({place:r,source:n,notes:o})=>d`<li><strong>${r}</strong>
        <bdi>${ee(n)}</bdi> ${o.map(i=>d`<bdi>${Q(i)}</bdi> `)}</li>`)}</ul>${t.length>$e?d`<p class="small soft">and ${K(t.length-$e)} more</p>`:h}`:h}#a(){let e=this.#n?.target_language??"translated",t=this.#t.lastIndexOf(".");return t>0?`${this.#t.slice(0,t)}.${e}${this.#t.slice(t)}`:`${this.#t}.${e}`}#d(){this.#s.abort(),this.#s=new AbortController,this.#l(null)}#l(e){this.#e=e,this.requestUpdate()}};function K(s){return s.toLocaleString("en")}function Ut(s,e){let t=document.createElement("a");t.href=URL.createObjectURL(s),t.download=e,t.click(),window.setTimeout(()=>URL.revokeObjectURL(t.href),6e4)}function re(s,e){let t=[0];for(let r of s)t.push((t.at(-1)??0)+r.length);return e.map(([r,n])=>[t[r],t[n]])}var et=new WeakMap;function g(s,e){let t=et.get(e);if(t)return t;let{alignment:r,text:n}=e,o=r?{source:re(s,r.source),target:re(n,r.target),links:r.links}:{source:[],target:n?[[0,n.length]]:[],links:[]};return et.set(e,o),o}function R({links:s},e,t){let[r,n]=e==="source"?[0,1]:[1,0];return s.filter(o=>o[r]===t).map(o=>o[n])}function N(s,e,t){return[...new Set(t)].sort((r,n)=>r-n).map((r,n,o)=>{let[i,a]=e[r];return n===0?s.slice(i,a):(o[n-1]===r-1?s.slice(e[r-1][1],i):" … ")+s.slice(i,a)}).join("")}function tt(s,e,t,r){let n=R(g(s,e),"target",t),o=new Map;for(let i of[e,...r]){let a=g(s,i),l=n.flatMap(u=>R(a,"source",u)),c=N(i.text,a.target,Ot(l,t));c&&!o.has(c)&&o.set(c,{text:c,hypothesis:i})}return[...o.values()]}function Ot(s,e){let t=n=>Math.min(...n.map(o=>Math.abs(o-e))),r=[];for(let n of[...new Set(s)].sort((o,i)=>o-i)){let o=r.at(-1);o?.at(-1)===n-1?o.push(n):r.push([n])}return r.sort((n,o)=>t(n)-t(o))[0]??[]}function rt(s,e){let[t,r]=[s,e].map(i=>i.split(/(\s+)/u)),n=Array.from(t,()=>new Uint16Array(r.length+1));n.push(new Uint16Array(r.length+1));for(let i=t.length-1;i>=0;i--)for(let a=r.length-1;a>=0;a--)n[i][a]=t[i]===r[a]?n[i+1][a+1]+1:Math.max(n[i+1][a],n[i][a+1]);let o=[];for(let i=0,a=0;i<t.length;)t[i]===r[a]?(o.push([t[i],!1]),i+=1,a+=1):a===r.length||n[i+1][a]>=n[i][a+1]?(o.push([t[i],t[i].trim()!==""]),i+=1):a+=1;return o}function nt(s){let{row:e,word:t,failure:r,position:n}=s;if(!e.translated)return h;let{shown:o,hypotheses:i}=e.translated,a=g(e.source,o),l=N(e.source,a.source,R(a,"target",t));return d`<div class="alternatives" role="dialog" aria-label="alternatives" tabindex="-1"
      data-testid="alternatives" .style=${n} @keydown=${It}
      @focusout=${c=>{let u=c.currentTarget;c.relatedTarget&&!u.contains(c.relatedTarget)&&s.close(!1)}}>
    <button class="plain close" aria-label="Close" data-testid="close-alternatives"
      @click=${()=>s.close(!0)}>${xe}</button>
    ${r?d`<p role="alert">${r}</p>`:i.length?d`${l?Ht(s,l):h} ${qt(s)}`:d`<p class="soft" role="status">Looking for alternatives…</p>`}
    <button class="steps" data-testid="word-steps" @click=${s.showSteps}>
      Show how this sentence was translated</button>
  </div>`}var xe=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3l10 10M13 3L3 13"/></svg>`;function Ht({row:s,word:e,select:t},r){let{shown:n,hypotheses:o}=s.translated,i=tt(s.source,n,e,o);return d`<h3><span class="soft">for</span> <span dir="auto">${r}</span></h3>
    <div class="chips">${i.map(({text:a,hypothesis:l})=>d`<button class="option" data-testid="word-option" dir="auto"
        aria-pressed=${l===n} @click=${()=>t(l)}>${a}</button>`)}</div>
    ${i.length>1?h:d`<p class="soft small">All alternatives have the same word.</p>`}`}function qt({row:s,select:e}){let{shown:t,hypotheses:r}=s.translated;return d`<h3 class="soft">Whole sentence</h3>
    <div class="options">${r.map(n=>d`<button class="option" data-testid="sentence-option" dir="auto"
        aria-pressed=${n===t} @click=${()=>e(n)}>${rt(n.text,t.text).map(([o,i])=>i?d`<b>${o}</b>`:o)}</button>`)}</div>`}function It(s){let e={ArrowDown:1,ArrowUp:-1}[s.key];if(e===void 0)return;s.preventDefault();let t=s.currentTarget,r=Array.from(t.querySelectorAll(".option")),n=r.indexOf(t.getRootNode().activeElement);r.at(n<0?0:(n+e)%r.length)?.focus()}var st="regard.explain/2",ot={u16:2,f16:2,f32:4};async function it(s){let{arrays:e,data:t,...r}=JSON.parse(s);if(r.format!==st)throw new Error(`This viewer reads the format ${st}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let n=await zt(t),o=[],i=0;for(let{type:c,shape:u}of e)o.push(i),i+=ot[c]*at(u);if(n.length!==i)throw new Error(`The record is damaged: its arrays have ${n.length} bytes instead of ${i}.`);let a=[];return{...r,numbers:c=>(a[c]??=Dt(n,o[c],e[c]),a[c])}}async function zt(s){let e=atob(s),t=new Uint8Array(e.length);for(let n=0;n<e.length;n++)t[n]=e.charCodeAt(n);let r=new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function Dt(s,e,{type:t,shape:r}){let n=at(r),o=s.slice(e,e+n*ot[t]).buffer;if(t==="f32")return new Float32Array(o);let i=new Uint16Array(o),a=new Float32Array(n);for(let l=0;l<n;l++)a[l]=t==="u16"?i[l]/65535:jt(i[l]);return a}function jt(s){let e=s&32768?-1:1,t=s>>10&31,r=s&1023;return t===0?e*r*2**-24:t===31?r?Number.NaN:e*Number.POSITIVE_INFINITY:e*(1+r/1024)*2**(t-15)}function at(s){return s.reduce((e,t)=>e*t,1)}var Bt=250,ne=class{constructor(e){this.model=e}model;rounds=!1;#e=new Map;async explain({purpose:e,text:t,options:r}){this.#e.get(e)?.abort();let n=new AbortController;this.#e.set(e,n);let{signal:o}=n;if(await new Promise(i=>setTimeout(i,Bt)),o.aborted)return null;try{let{changes:i}=r,a=i?await Je(this.model,t,i,o):await G(this.model,t,null,o);return await it(a)}catch(i){if(o.aborted)return null;throw i}}close(){for(let e of this.#e.values())e.abort()}};var Kt=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M10 3L5 8l5 5"/></svg>`,Vt=d`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M6 3l5 5-5 5"/></svg>`,se=class extends f{#e=null;#t="";#n=[];#s=0;#r="";#i=new AbortController;async open(e,t,r,n){[this.#t,this.#e,this.#n]=[e,t,r],this.requestUpdate(),await this.updateComplete,this.renderRoot.querySelector("dialog")?.showModal(),await this.#o(n)}async#o(e){this.#s=e,this.#i.abort(),this.#i=new AbortController;let{signal:t}=this.#i;this.#a("Recording the computation…");let{source:r,target:n}=this.#n[e];if(this.#e)try{let[o]=await Promise.all([G(this.#e,r,n,t),import(new URL(this.#t,document.baseURI).href)]);if(t.aborted)return;history.replaceState(null,"",location.hash.split(/[/&]/)[0]||"#stage");let i=document.createElement("regard-view");i.style.setProperty("--below","4.75rem"),i.show([o]);let a=document.createElement("regard-live");a.slot="editor",a.connect(new ne(this.#e),{text:r,names:[""],examples:[]}),i.append(a),this.replaceChildren(i),this.#a("")}catch(o){t.aborted||this.#a(o instanceof Error?o.message:String(o))}}#a(e){this.#r=e,e&&this.replaceChildren(),this.requestUpdate()}#d(){this.#i.abort(),this.replaceChildren(),history.replaceState(null,"",location.pathname+location.search)}render(){let e=this.#n.length-1,t=()=>this.renderRoot.querySelector("dialog");return d`<dialog aria-label="How a sentence was translated" data-testid="steps"
        @close=${()=>this.#d()}>
      <div class="head">
        <h2>${e>0?`Sentence ${this.#s+1} of ${e+1}`:"How it was translated"}</h2>
        ${e>0?d`<button class="plain" aria-label="Previous sentence" ?disabled=${this.#s===0}
                data-testid="previous-sentence" @click=${()=>this.#o(this.#s-1)}>${Kt}</button>
              <button class="plain" aria-label="Next sentence" ?disabled=${this.#s===e}
                data-testid="next-sentence" @click=${()=>this.#o(this.#s+1)}>${Vt}</button>`:h}
        <button class="plain" aria-label="Close" data-testid="close-steps"
          @click=${()=>t()?.close()}>${xe}</button>
      </div>
      <section class="body" aria-label="steps of the translation">
        ${this.#r?d`<p class="soft" role="status">${this.#r}</p>`:h}
        <slot></slot>
      </section>
    </dialog>`}static styles=[P,w`
      :host { display: contents; }
      dialog {
        width: min(76rem, 100vw - 3rem); height: calc(100dvh - 3rem); max-width: none;
        max-height: none; padding: 0; border: 1px solid var(--line); border-radius: 12px;
        background: var(--paper); color: var(--ink); overflow: hidden;
      }
      dialog::backdrop { background: rgb(0 0 0 / 45%); }
      dialog[open] { display: grid; grid-template-rows: auto 1fr; }
      .head {
        display: flex; align-items: center; gap: 0.5rem; padding: 0.75rem 0.75rem 0.75rem 1.5rem;
        border-bottom: 1px solid var(--line);
      }
      .head h2 { margin-inline-end: auto; }
      .head button { min-height: 2.75rem; }
      .plain { border-color: transparent; min-width: 2.75rem; padding: 0; }
      .plain:disabled { opacity: 0.4; }
      svg {
        width: 1rem; height: 1rem; fill: none; stroke: currentcolor; stroke-width: 1.75;
        stroke-linecap: round; vertical-align: -0.1rem;
      }
      .body { overflow: auto; padding: 1.25rem 1.5rem; overscroll-behavior: contain; }
      @media (max-width: 46rem) {
        dialog { width: 100vw; height: 100dvh; border: 0; border-radius: 0; }
        .head { padding-inline: 1rem 0.5rem; }
        .body { padding: 1rem; }
      }
    `]};function lt(s,e,t,r){if(s==="Home")return 0;if(s==="End")return t;let n={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[s];return n===void 0?null:Math.max(0,Math.min(t,e+((s==="ArrowRight"||s==="ArrowLeft")&&r?-n:n)))}var cn=w`
  .sentence { display: grid; gap: 0.35rem; }
  .sentence .text {
    overflow: clip; overflow-clip-margin: 0.4rem; font-size: 1.6rem; line-height: 1.7;
    overflow-wrap: anywhere; white-space: pre-wrap;
  }
  .word {
    border-radius: 4px; padding: 0.08em 0.06em; margin: 0 -0.04em; cursor: default;
    box-decoration-break: clone; -webkit-box-decoration-break: clone; overflow-wrap: anywhere;
  }
  .word[aria-pressed="true"]:not(:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: 1px;
  }
  .word[data-special] { font-size: 0.65em; color: var(--soft); }
  .pieces {
    display: flex; flex-wrap: wrap; gap: 0.15rem 0.5rem; align-items: baseline; white-space: nowrap;
  }
  .pieces .word { margin: 0; padding: 0.08em 0.25em; max-width: 100%; white-space: normal; }
  @media (max-width: 36rem) { .sentence .text { font-size: 1.3rem; } }
`;var Ft=/[.!?…‼⁇⁈⁉؟۔।॥።။។]+|[。！？｡]+/gu,Wt="。！？｡",Jt=`"'”’»«›‹)]}」』）】〉》`,Yt=`"'“‘«„([{¿¡–—-`,ct=new Set("mr mrs ms dr prof rev gen col sgt capt lt gov sen rep hon st mt jr sr vs inc ltd co corp dept eds pp cf eg ie etc al approx jan feb mar apr jun jul aug sept oct nov dec mme mlle mgr pr av bd chap éd env janv févr avr juil déc réf tél hr fr bzw ca evtl ggf inkl nr str tel usw vgl zb dh ua uu zt abs geb gest jh jhd mio mrd sog std tsd zzgl".split(" ")),Gt=new Set(["no","nos","nº","art","fig","figs","vol","p","s"]),Zt=2*Math.max(...Array.from(ct,s=>s.length));function ht(s){let e=[];for(let t of s.matchAll(/[^\n]+/g))for(let[r,n]of Xt(t[0]))e.push([t.index+r,t.index+n]);return e}function Xt(s){let e=[],t=0;for(let r of s.matchAll(Ft)){let n=r.index+r[0].length,o=Qt(s,n);o<=t||!er(s,r,n,o)||(dt(e,s,t,o),t=o)}return dt(e,s,t,s.length),e}function dt(s,e,t,r){let n=e.slice(t,r),o=n.trim(),i=t+n.length-n.trimStart().length;o&&s.push([i,i+o.length])}function Qt(s,e){let t=e;for(;;)if(t<s.length&&Jt.includes(s[t]))t+=1;else if(/^\s»/u.test(s.slice(t,t+2)))t+=2;else return t}function er(s,e,t,r){let n=e[0];if(Wt.includes(n[0]))return!0;if(r<s.length&&!/\s/u.test(s[r]))return!1;let o=tr(s,r);return/^\p{Lowercase}/u.test(o)?!1:n!=="."||r>t||!rr(s,t-1,o)}function tr(s,e){let t=e;for(;t<s.length&&(/\s/u.test(s[t])||Yt.includes(s[t]));)t+=1;return s.slice(t,t+2)}function rr(s,e,t){let r=s.slice(Math.max(0,e-Zt),e);if(!r||/\s$/u.test(r))return!1;let o=(r.split(/\s+/u).at(-1)??"").toLowerCase().replace(/^["'“‘’«„([{]+/u,"");if(/^\p{Nd}+$/u.test(o))return Array.from(o).length<=2;let i=Array.from(o.split(".").at(-1)??"").length===1,a=o.replaceAll(".",""),l=Gt.has(a)&&/^\p{Nd}/u.test(t);return i||ct.has(a)||l}var nr=250,sr=600,or=32,ir=5,ar=5e3,oe=class{constructor(e,t){this.limits=e;this.changed=t}limits;changed;models=[];model=null;text="";rows=[];state={kind:"ready"};#e=new Map;#t="";#n=new AbortController;#s=0;get characters(){return Array.from(this.text.normalize("NFKC")).length}get reverse(){return this.model?Qe(this.model,this.models):void 0}get translation(){return this.rows.map((e,t)=>this.gap(t)+(e.translated?.shown.text??e.before)).join("")}gap(e){let t=e?this.rows[e-1].span[1]:0,r=this.text.slice(t,this.rows[e].span[0]);return r||!e?r:" "}async open(){try{let e=this.model&&T(this.model,this.models);this.models=await Fe(),this.model=this.#r(e)??this.models[0],this.#c({kind:"ready"}),this.text&&this.setText(this.text)}catch(e){this.#l(e,()=>this.open())}}useKey(e){j.set(e.trim()),this.open()}#r(e){return this.models.find(t=>T(t,this.models)===e)}setModel(e){this.model=this.#r(e)??this.model,this.#e.clear(),this.setText(this.text,0)}swap(){let{reverse:e,translation:t}=this;e&&(this.text=t,this.setModel(T(e,this.models)))}setText(e,t=nr){this.text=e,this.#p();let r=ht(e),n=r.map(a=>e.slice(...a)),o=this.rows.map(a=>n.includes(a.source)?"":a.translated?.shown.text??a.before);this.rows=n.map((a,l)=>({span:r[l],source:a,translated:this.#e.get(a),before:o[l]??""})),this.#e.size>ar&&this.#m();let i=this.characters<=this.limits.characters;this.#c({kind:i?"ready":"too-long"}),this.model&&i&&(this.#s=window.setTimeout(()=>this.#i(),t))}retry(){this.model?this.setText(this.text,0):this.open()}async alternatives(e){let{translated:t}=e;if(!t||t.hypotheses.length)return;let r=await this.#d([e.source],{n_best:Math.min(ir,this.limits.beam)}),n=new Map([[t.best.text,t.best]]),[o]=r;for(let i of o.n_best.length?o.n_best:[o])i.text.trim()&&!n.has(i.text)&&n.set(i.text,i);t.hypotheses=[...n.values()],this.changed()}select(e,t){e.translated&&(e.translated.shown=t),this.changed()}async#i(){try{await this.#a(e=>!e.translated,{},(e,t)=>{let r={best:t,shown:t,checked:!1,warnings:[],unaligned:[]};this.#e.set(e,{...r,hypotheses:[]})}),this.#c({kind:"ready"}),this.model?.quality&&this.rows.some(e=>!e.translated?.checked)&&(this.#s=window.setTimeout(()=>this.#o(),sr))}catch(e){this.#l(e,()=>this.#i())}}async#o(){try{await this.#a(e=>!e.translated?.checked,{quality:!0},(e,t)=>{let r=this.#e.get(e);r&&(r.checked=!0,r.best.text===t.text&&(r.warnings=t.warnings,r.unaligned=re(e,t.unaligned)))})}catch(e){e instanceof x&&e.status===401&&this.#l(e)}}async#a(e,t,r){let n=[...new Set(this.rows.filter(e).map(i=>i.source))],o=Math.min(or,this.limits.texts);for(let i=0;i<n.length;i+=o){t.quality||this.#c({kind:"translating"});let a=n.slice(i,i+o),l=await this.#d(a,t);a.forEach((c,u)=>{r(c,l[u])});for(let c of this.rows)c.translated??=this.#e.get(c.source);this.changed()}}async#d(e,t){let r=this.model,{alignments:n}=r,{signal:o}=this.#n,i=await We(r,e,{alignments:n,...t},o);o.throwIfAborted();let a=`${T(r,this.models)} ${i.version}`;return this.#t!==a&&this.#e.clear(),this.#t=a,i.translations}#l(e,t){if(!(e instanceof x))return;let{message:r,status:n,retryAfter:o}=e;n===401?this.#c({kind:"no-key",refused:j.get()!==""}):o&&t?(this.#c({kind:"waiting",message:r,seconds:o}),this.#s=window.setTimeout(t,o*1e3)):this.#c({kind:"failed",message:r})}#p(){this.#n.abort(),this.#n=new AbortController,clearTimeout(this.#s)}#m(){let e=new Set(this.rows.map(t=>t.source));for(let t of this.#e.keys())e.has(t)||this.#e.delete(t)}#c(e){this.state=e,this.changed()}};var ut=w`
  :host {
    min-height: 100dvh; max-width: 76rem; margin: 0 auto; padding: 0 1.5rem 2rem;
    --radius: 12px; --linked: #fbe3b5;
  }
  @media (prefers-color-scheme: dark) { :host { --linked: #6b4a12; } }
  h1 { font-size: 1.125rem; font-weight: 700; margin: 0; letter-spacing: -0.01em; }
  header { align-items: center; padding: 1.25rem 0.25rem; gap: 1rem; }
  header p { margin-inline-end: auto; }
  header a { font-size: var(--small); }
  svg {
    width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 1.6;
    stroke-linecap: round; stroke-linejoin: round; vertical-align: middle;
  }
  button.plain { border-color: transparent; background: none; color: var(--accent); }
  button.plain:hover:enabled { background: var(--accent-soft); }
  [hidden] { display: none !important; }

  main {
    display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    border: 1px solid var(--line); border-radius: var(--radius);
  }
  main[data-dropping] { outline: 2px dashed var(--accent); outline-offset: 3px; }
  .side {
    display: grid; grid-template: auto 1fr auto / minmax(0, 1fr); min-width: 0; min-height: 24rem;
  }
  .target {
    background: var(--card); border-inline-start: 1px solid var(--line);
    border-start-end-radius: var(--radius); border-end-end-radius: var(--radius);
  }
  .head, .foot {
    display: flex; align-items: center; gap: 0.25rem; min-height: 3.25rem;
    padding: 0.25rem 0.75rem 0.25rem 1.5rem;
  }
  .head h2 { font-size: var(--small); font-weight: 600; color: var(--soft); margin-inline-end: auto; }
  .foot > :first-child { margin-inline-end: auto; }
  .foot button, .head button { min-height: 2.75rem; font-size: var(--small); }
  .icon { min-width: 2.75rem; padding: 0; }
  .progress { margin-inline-end: 0.75rem; animation: appear 0.2s 0.3s backwards; }
  @keyframes appear { from { opacity: 0; } }

  .editor { display: grid; }
  .editor > *, .result {
    font: inherit; font-size: 1.375rem; line-height: 1.6; letter-spacing: normal;
    padding: 0.25rem 1.5rem; margin: 0; border: 0; white-space: pre-wrap;
    overflow-wrap: break-word; word-break: normal; text-align: start; unicode-bidi: plaintext;
    font-variant-numeric: normal; tab-size: 8;
  }
  .editor > * { grid-area: 1 / 1; min-width: 0; width: 100%; }
  .mirror { color: transparent; user-select: none; pointer-events: none; }
  textarea {
    position: relative; resize: none; overflow: hidden; background: none; color: inherit;
    height: 100%; min-height: 100%; display: block;
  }
  textarea:focus-visible { outline: none; }
  textarea::placeholder { color: var(--soft); opacity: 1; }
  .source { border-start-start-radius: var(--radius); border-end-start-radius: var(--radius); }
  .source:has(textarea:focus-visible) {
    outline: 2px solid var(--accent); outline-offset: -1px;
  }

  .output { position: relative; }
  .mark { border-radius: 3px; transition: background 0.12s, box-shadow 0.12s; }
  .target .mark { cursor: pointer; }
  .mark[data-marked] { background: var(--accent-soft); box-shadow: 0 0 0 2px var(--accent-soft); }
  .mark[data-marked="counterpart"] {
    background: var(--linked); box-shadow: 0 0 0 2px var(--linked);
  }
  .mark[aria-expanded="true"] { background: var(--accent-soft); }
  .mark[data-unaligned], .sample {
    text-decoration: underline dotted var(--mark) 2px; text-underline-offset: 0.25em;
    text-decoration-skip-ink: none;
  }
  .stale { color: var(--soft); }
  .empty { padding: 0.25rem 1.5rem; display: grid; gap: 0.5rem; }
  .empty > :first-child { font-size: 1.375rem; line-height: 1.6; }
  .link { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  .link .word { color: var(--ink); font-weight: 600; }
  [data-over] { color: var(--mark); font-weight: 600; }

  .problem { margin: 0.25rem 1.5rem 1rem; display: grid; gap: 0.6rem; justify-items: start; }
  p.problem, div.problem {
    padding: 0.75rem 1rem; border-inline-start: 3px solid var(--mark); background: var(--paper);
  }
  .field-row { display: flex; gap: 0.5rem; width: 100%; max-width: 26rem; }
  .field-row button, .problem > button { min-height: 2.75rem; white-space: nowrap; }
  input {
    border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
    padding: 0.25rem 0.65rem; min-height: 2.75rem; min-width: 0; flex: 1;
  }

  .alternatives {
    position: absolute; z-index: 1; top: var(--top); width: min(26rem, 100% - 1rem);
    left: clamp(0.5rem, var(--left), 100% - min(26rem, 100% - 1rem) - 0.5rem);
    display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6rem; padding: 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius); background: var(--paper); box-shadow: 0 8px 28px rgb(0 0 0 / 16%);
  }
  .alternatives:focus { outline: none; }
  .alternatives h3 { font-size: var(--small); padding-inline-end: 2.5rem; overflow-wrap: anywhere; }
  .alternatives h3.soft { font-weight: 600; }
  .alternatives h3 > .soft { font-weight: 400; }
  .alternatives .close { position: absolute; top: 0.25rem; right: 0.25rem; }
  .close { min-width: 2.75rem; min-height: 2.75rem; padding: 0; }
  .close svg { width: 1rem; height: 1rem; }
  .chips { overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: 0.4rem; }
  .chips button { min-height: 2.75rem; }
  .options {
    display: flex; flex-direction: column; gap: 0.125rem; max-height: 24rem; overflow: auto;
    margin: 0 -0.65rem; padding: 2px;
  }
  .options button {
    border-color: transparent; text-align: start; padding: 0.5rem 0.65rem; line-height: 1.4;
    overflow-wrap: anywhere; min-height: 2.75rem; flex: none;
  }
  .options button:hover { background: var(--card); }
  .options button[aria-pressed="true"] { border-color: transparent; background: var(--accent-soft); }
  .options b { font-weight: 650; color: var(--accent); }
  .steps { min-height: 2.75rem; }

  .warnings {
    margin-top: 1.25rem; padding: 1rem 1.5rem; border: 1px solid var(--line);
    border-inline-start: 3px solid var(--mark); border-radius: 6px; display: grid; gap: 0.4rem;
  }
  .warnings h2 { font-size: var(--small); }
  .warnings ul { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.25rem; }
  footer { padding: 1.25rem 0.25rem 0; }

  @media (max-width: 46rem) {
    :host { padding: 0 0.75rem 1.5rem; }
    header { padding: 0.75rem 0.25rem; }
    header p { display: none; }
    h1 { margin-inline-end: auto; }
    header select, header a { min-height: 2.75rem; }
    header a { display: inline-flex; align-items: center; }
    main { grid-template-columns: minmax(0, 1fr); }
    .side { min-height: 12rem; }
    .source { border-radius: var(--radius) var(--radius) 0 0; }
    .target {
      border-inline-start: 0; border-top: 1px solid var(--line); border-radius: 0;
      border-end-start-radius: var(--radius); border-end-end-radius: var(--radius);
    }
    .head, .foot { padding-inline: 1rem 0.5rem; }
    .editor > *, .result, .empty > :first-child { font-size: 1.1875rem; }
    .editor > *, .result, .empty { padding-inline: 1rem; }
    .result { line-height: 1.9; }
    .alternatives {
      position: fixed; inset: auto 0 0; width: auto; max-height: 60dvh; overflow: auto;
      border-end-start-radius: 0; border-end-end-radius: 0; border-inline: 0; border-bottom: 0;
    }
    .options { max-height: none; }
  }
  @media (forced-colors: active) {
    .mark[data-marked] { outline: 2px solid Highlight; }
  }
`;var pt=s=>(...e)=>({_$litDirective$:s,values:e}),ie=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,r){this._$Ct=e,this._$AM=t,this._$Ci=r}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}};var lr={},ke=pt(class extends ie{constructor(){super(...arguments),this.ot=lr}render(s,e){return e()}update(s,[e,t]){if(Array.isArray(e)){if(Array.isArray(this.ot)&&this.ot.length===e.length&&e.every((r,n)=>r===this.ot[n]))return y}else if(this.ot===e)return y;return this.ot=Array.isArray(e)?Array.from(e):e,this.render(e,t)}});function mt(s){let{rows:e,text:t}=s,r=e.at(-1)?.span[1]??0;return d`<div class="mirror" aria-hidden="true" dir="auto">${e.map((n,o)=>ke([n.translated?.shown,n.translated?.warnings,n.source,gt(s,o)],()=>dr(s,n,o)))}${`${t.slice(r)}​`}</div>`}function gt({rows:s,text:e},t){return e.slice(t?s[t-1].span[1]:0,s[t].span[0])}function dr(s,e,t){let{source:r,translated:n}=e,o=n?g(r,n.shown).source:[],i=n&&n.shown===n.best?n.unaligned:[];return[gt(s,t),bt(r,o,(a,l)=>d`<span class="mark" data-testid="source-word" data-side="source"
      data-row=${t} data-word=${a} ?data-unaligned=${i.some(cr(o[a]))}
      >${l}</span>`)]}var cr=([s,e])=>([t,r])=>t<e&&s<r;function ft(s,e,t){let{rows:r,model:n}=s;return d`<div class="result" data-testid="translation" role="group" aria-label="translation" dir="auto"
    lang=${n?.target_language??h}>${r.map((o,i)=>{let a=e.row===i?e.word:-1,l=t?.row===i?t.word:-1,{translated:c,before:u}=o,p=s.gap(i);return ke([c?.shown,u,p,o.source,a,l],()=>[p,c?hr(o,i,a,l):d`<span class="stale" aria-hidden="true">${u}</span>`])})}</div>`}function hr(s,e,t,r){let{shown:n}=s.translated;return bt(n.text,g(s.source,n).target,(o,i)=>d`<span role="button" class="mark" data-testid="target-word"
      data-side="target" data-row=${e} data-word=${o} tabindex=${o===t?0:-1}
      aria-haspopup="dialog" aria-expanded=${o===r}>${i}</span>`)}function bt(s,e,t){let r=[],n=0;return e.forEach(([o,i],a)=>{r.push(s.slice(n,o),t(a,s.slice(o,i))),n=i}),r.push(s.slice(n)),r}function L(s){let e=s instanceof HTMLElement?s.dataset:{};return e.word===void 0?null:{side:e.side,row:Number(e.row),word:Number(e.word)}}function k({side:s,row:e,word:t}){return`[data-side="${s}"][data-row="${e}"][data-word="${t}"]`}function wt(s,e,t){let r=i=>i.left<=e&&e<=i.right&&i.top<=t&&t<=i.bottom,n=s.querySelectorAll('[data-side="source"]'),o=Array.from(n).find(i=>Array.from(i.getClientRects()).some(r));return L(o??null)}function vt({rows:s},e){let t=s.findIndex(({span:c})=>c[0]<=e&&e<=c[1]),{translated:r,source:n,span:o}=s[t]??{};if(!r)return null;let i=e-o[0],a=g(n,r.shown).source,l=a.findIndex(([c,u],p)=>{let m=a[p+1]?.[0]??Number.POSITIVE_INFINITY;return c<=i&&i<=u&&i<m});return l<0?null:{side:"source",row:t,word:l}}var ur=500,pr=["ArrowLeft","ArrowRight","ArrowUp","ArrowDown","Home","End"],mr=d`<svg viewBox="0 0 20 20" aria-hidden="true">
  <path d="M4 7h12m-3.5-3.5L16 7l-3.5 3.5M16 13H4m3.5-3.5L4 13l3.5 3.5"/></svg>`,ae=class extends f{static styles=[P,ut];#e=new oe({characters:Number(this.dataset.maxCharacters),texts:Number(this.dataset.maxTexts),beam:Number(this.dataset.maxBeamSize)},()=>this.requestUpdate());#t={side:"target",row:0,word:0};#n=null;#s=[];#r=null;#i=0;#o="";#a=e=>{e.composedPath().some(r=>r.matches?.(".alternatives, .result"))||this.#u()};connectedCallback(){super.connectedCallback(),document.addEventListener("pointerdown",this.#a),this.#e.open()}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener("pointerdown",this.#a)}render(){let{model:e,models:t,reverse:r,text:n,rows:o}=this.#e,i=B(e?.source_language??null),a=B(e?.target_language??null);return d`<header>
        <h1>regard</h1><p>Translations that show where every word came from</p>
        ${t.length>1?d`<select aria-label="Languages" data-testid="model" @change=${l=>this.#A(l.target.value)}>${t.map(l=>d`<option value=${T(l,t)} ?selected=${l===e}
                  >${Xe(l,t)}</option>`)}</select>`:h}
        <a href="openapi.json">API</a>
      </header>
      <main @dragover=${this.#f} @dragleave=${this.#f} @drop=${this.#P}>
        <section class="side source" aria-label="text to translate">
          <div class="head"><h2>${i||"Text"}</h2>
            ${e?.alignments?d`<button class="plain" data-testid="choose-file" @click=${()=>this.#M?.click()}>Translate a file</button>
                    <input type="file" hidden aria-label="File to translate" data-testid="file"
                      @change=${this.#C}>`:h}
            ${r?d`<button class="plain icon" aria-label="Swap languages" title="Swap languages"
                    data-testid="swap" @click=${()=>this.#S()}>${mr}</button>`:h}</div>
          <div class="editor" @pointermove=${this.#L} @pointerleave=${()=>this.#h(null)}>
            ${mt(this.#e)}
            <textarea aria-label=${i?`${i} text`:"Text"} data-testid="source" dir="auto"
              lang=${e?.source_language??h} spellcheck="true" .value=${n}
              placeholder="Type or paste text" @input=${this.#N} @click=${this.#v}
              @keyup=${this.#v}></textarea>
          </div>
          <div class="foot">${this.#d()}
            <button class="plain" ?hidden=${!n} data-testid="clear" @click=${()=>this.#_()}
              >Clear</button></div>
        </section>
        <section class="side target" aria-label="translation and what is known about it">
          <div class="head"><h2>${a||"Translation"}</h2>${this.#l()}</div>
          <div class="output" @pointerover=${this.#U} @pointerleave=${()=>this.#h(null)}
            @focusin=${this.#O} @click=${this.#q} @keydown=${this.#H}>
            ${this.#m()}
            ${o.length?ft(this.#e,this.#t,this.#r):this.#p()}
            ${this.#k()}
          </div>
          <div class="foot"><p class="link small soft" aria-live="polite" data-testid="link"
              dir="auto">${this.#c()}</p>
            <button class="plain" ?hidden=${!o.length} data-testid="show-steps"
              @click=${()=>this.#b(this.#t.row)}>Show how</button>
            <button class="plain" ?hidden=${!o.length} data-testid="copy"
              @click=${()=>this.#E()}>${this.#i?"Copied":"Copy"}</button></div>
        </section>
      </main>
      <regard-document></regard-document>
      ${this.#$()}
      <footer class="small soft"><p>The text is sent to this server only, and is not written to its
        disk.</p></footer>
      <p class="hidden" role="status" data-testid="live">${this.#x()}</p>`}updated(e){if(this.#R(),!this.#o)return;let t=this.renderRoot.querySelector(this.#o);this.#o="",t?.focus()}#d(){let{characters:e,limits:t}=this.#e,[r,n]=[e,t.characters].map(o=>o.toLocaleString("en"));return d`<p class="small soft" data-testid="count" ?data-over=${e>t.characters}>
      ${r} <span class="limit">/ ${n}</span></p>`}#l(){return this.#e.state.kind==="translating"?d`<span class="small soft progress" data-testid="progress">Translating…</span>`:h}#p(){let{state:e,model:t}=this.#e;return e.kind==="failed"||e.kind==="no-key"?h:d`<div class="empty soft" data-testid="empty">
      <p>The translation appears here as you type.</p>
      ${t?.alignments?d`<p class="small">Point at a word to see where it came from. Select it to see other
              translations.</p>`:h}</div>`}#m(){let{state:e,limits:t}=this.#e,r=d`<button data-testid="retry" @click=${()=>this.#e.retry()}>Try
      again</button>`;switch(e.kind){case"no-key":return d`<form class="problem" data-testid="key-form" @submit=${this.#I}>
          <label for="key">${e.refused?"The server does not accept this key.":"This server needs a key."}</label>
          <div class="field-row"><input id="key" type="password" autocomplete="off" required
            aria-describedby="key-note" data-testid="key"><button data-testid="use-key">Use
            key</button></div>
          <p class="small soft" id="key-note">The administrator of the server makes keys. This tab
            keeps the key until it is closed.</p></form>`;case"waiting":return d`<p class="problem" role="alert" data-testid="problem">${e.message} The page
          tries again in ${e.seconds} s.</p>`;case"failed":return d`<div class="problem" role="alert" data-testid="problem"><p>${e.message}</p>
          ${r}</div>`;case"too-long":return d`<p class="problem" role="alert" data-testid="problem">The text has more than
          ${t.characters.toLocaleString("en")} characters. Shorten it, or translate it in parts.</p>`;default:return h}}#c(){let e=this.#n,t=e&&this.#e.rows[e.row],r=t?.translated?.shown;if(!e||!t||!r?.alignment)return h;let n=g(t.source,r),o=e.side==="source",[i,a]=o?[t.source,n.source]:[r.text,n.target],[l,c]=o?[r.text,n.target]:[t.source,n.source],u=N(i,a,[e.word]),p=N(l,c,R(n,e.side,e.word));return p?d`<bdi>${u}</bdi> ${o?"became":"comes from"} <bdi class="word">${p}</bdi>`:d`<bdi>${u}</bdi> has no counterpart`}#$(){let{rows:e}=this.#e,t=e.flatMap(({source:r,translated:n})=>n?.warnings.length&&n.shown===n.best?[{source:r,warnings:n.warnings,underlined:n.unaligned.length>0}]:[]);return t.length?d`<section class="warnings" aria-label="warnings" data-testid="warnings">
      <h2>Check the translation</h2>
      <ul>${t.map(({source:r,warnings:n})=>d`<li>${e.length>1?d`<strong><bdi>${ee(r)}</bdi></strong> `:h}${n.map(o=>d`<bdi>${Q(o)}</bdi> `)}</li>`)}</ul>
      ${t.some(({underlined:r})=>r)?d`<p class="small soft" data-testid="legend"><span class="sample">underlined</span> in
              the text: has no counterpart in the translation</p>`:h}</section>`:h}#x(){let{state:e,rows:t,translation:r}=this.#e;return e.kind==="ready"&&t.every(o=>o.translated)?r.length>ur?`${t.length} sentences are translated`:r:""}#k(){let e=this.#r,t=e&&this.#e.rows[e.row];return t?nt({row:t,word:e.word,failure:e.failure,position:e.position,select:r=>this.#T(t,r),showSteps:()=>this.#b(e.row),close:r=>this.#u(r)}):h}#A(e){this.#g(),this.#e.setModel(e)}#S(){this.#g(),this.#e.swap()}#_(){this.#g(),this.#e.setText(""),this.#o="textarea"}#g(){this.#t={side:"target",row:0,word:0},this.#n=this.#r=null}async#E(){let{translation:e}=this.#e;try{await navigator.clipboard.writeText(e)}catch{fr(e)}clearTimeout(this.#i),this.#i=window.setTimeout(()=>{this.#i=0,this.requestUpdate()},2e3),this.requestUpdate()}#b(e){let{rows:t,model:r}=this.#e;if(!r)return;this.#u();let n=t.map(({source:a,translated:l})=>({source:a,target:l&&l.shown!==l.best?l.shown.text:null})),o=document.querySelector("regard-steps"),i=o??document.createElement("regard-steps");o||document.body.append(i),i.open(this.dataset.viewer??"",r,n,Math.min(e,t.length-1))}#T(e,t){let r=this.#t;this.#e.select(e,t);let n=g(e.source,t).target.length-1;this.#t={...r,word:Math.max(0,Math.min(r.word,n))},this.#u(!0)}#u(e=!1){this.#r&&(this.#r=null,this.#n=null,e&&(this.#o=k(this.#t)),this.requestUpdate())}#h(e){let t=e??this.#r;t&&this.#n&&k(t)===k(this.#n)||t===this.#n||(this.#n=t,this.requestUpdate())}#R(){for(let i of this.#s)i.removeAttribute("data-marked");this.#s=[];let e=this.#n,t=e&&this.#e.rows[e.row];if(!e||!t?.translated)return;let r=e.side==="source"?"target":"source",n=R(g(t.source,t.translated.shown),e.side,e.word),o=(i,a)=>{let l=this.renderRoot.querySelector(k(i));l?.setAttribute("data-marked",a),l&&this.#s.push(l)};o(e,"word");for(let i of n)o({side:r,row:e.row,word:i},"counterpart")}get#M(){return this.renderRoot.querySelector("input[type=file]")}#w(e){let{model:t}=this.#e,r=this.renderRoot.querySelector("regard-document");e&&t?.alignments&&r?.open(e,t)}#C(e){let t=e.target;this.#w(t.files?.[0]),t.value=""}#f(e){if(!e.dataTransfer?.types.includes("Files"))return;e.preventDefault();let t=e.type==="dragover";e.currentTarget.toggleAttribute("data-dropping",t)}#P(e){this.#f(e),this.#w(e.dataTransfer?.files[0])}#N(e){this.#n=this.#r=null,this.#e.setText(e.target.value);let{rows:t}=this.#e;this.#t.row>=t.length&&(this.#t={side:"target",row:0,word:0})}#v(e){if(e instanceof KeyboardEvent&&!pr.includes(e.key))return;let{selectionStart:t,selectionEnd:r}=e.target;t===r&&this.#h(vt(this.#e,t))}#L(e){e.pointerType==="mouse"&&this.#h(wt(this.renderRoot,e.clientX,e.clientY))}#U(e){e.pointerType==="mouse"&&!this.#r&&this.#h(L(e.target))}#O(e){let t=L(e.target);t&&(this.#t=t,this.#h(t),this.requestUpdate())}#H(e){if(e.key==="Escape"&&this.#r){e.preventDefault(),this.#u(!0);return}let t=L(e.target);if(!t)return;if(e.key==="Enter"||e.key===" "){e.preventDefault(),this.#y(t);return}let r=this.#e.rows.flatMap((a,l)=>a.translated?g(a.source,a.translated.shown).target.map((c,u)=>({row:l,word:u})):[]),n=r.findIndex(({row:a,word:l})=>a===t.row&&l===t.word),o=getComputedStyle(e.target).direction==="rtl",i=lt(e.key,n,r.length-1,o);i!==null&&(e.preventDefault(),this.#t={side:"target",...r[i]},this.#o=k(this.#t),this.requestUpdate())}#q(e){let t=L(e.target);t&&this.#y(t)}async#y(e){let{rows:t}=this.#e,r=this.renderRoot.querySelector(k(e));if(r){this.#t=this.#n=e,this.#r={...e,failure:"",position:gr(r)},this.#o=".alternatives",this.requestUpdate();try{await this.#e.alternatives(t[e.row])}catch(n){this.#r&&(this.#r.failure=n instanceof Error?n.message:String(n)),this.requestUpdate()}await this.updateComplete,!(!this.#r||k(this.#r)!==k(e))&&this.renderRoot.querySelector('.option[aria-pressed="true"]')?.focus()}}#I(e){e.preventDefault();let t=this.renderRoot.querySelector("#key");this.#e.useKey(t?.value??""),this.#o="textarea"}};function gr(s){let e=s.closest(".output")?.getBoundingClientRect()??new DOMRect,t=Array.from(s.getClientRects()).at(-1)??s.getBoundingClientRect();return`--top:${t.bottom-e.top+6}px;--left:${Math.max(0,t.left-e.left)}px`}function fr(s){let e=document.createElement("textarea");e.value=s,e.style.position="fixed",document.body.append(e),e.select(),document.execCommand("copy"),e.remove()}customElements.define("regard-document",te);customElements.define("regard-steps",se);customElements.define("regard-translator",ae);
