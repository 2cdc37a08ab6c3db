/*! The viewer of regard, Apache-2.0. It contains Lit (BSD-3-Clause, Google LLC) and d3-color, d3-hierarchy, d3-interpolate, d3-scale and d3-scale-chromatic (ISC, Mike Bostock; colour schemes: Apache-2.0, Cynthia Brewer). */
var bt=globalThis,xt=bt.ShadowRoot&&(bt.ShadyCSS===void 0||bt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,sn=Symbol(),ar=new WeakMap,Fe=class{constructor(t,n,r){if(this._$cssResult$=!0,r!==sn)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=n}get styleSheet(){let t=this.o,n=this.t;if(xt&&t===void 0){let r=n!==void 0&&n.length===1;r&&(t=ar.get(n)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&ar.set(n,t))}return t}toString(){return this.cssText}},lr=e=>new Fe(typeof e=="string"?e:e+"",void 0,sn),S=(e,...t)=>{let n=e.length===1?e[0]:t.reduce((r,o,i)=>r+(s=>{if(s._$cssResult$===!0)return s.cssText;if(typeof s=="number")return s;throw Error("Value passed to 'css' function must be a 'css' function result: "+s+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(o)+e[i+1],e[0]);return new Fe(n,e,sn)},cr=(e,t)=>{if(xt)e.adoptedStyleSheets=t.map(n=>n instanceof CSSStyleSheet?n:n.styleSheet);else for(let n of t){let r=document.createElement("style"),o=bt.litNonce;o!==void 0&&r.setAttribute("nonce",o),r.textContent=n.cssText,e.appendChild(r)}},an=xt?e=>e:e=>e instanceof CSSStyleSheet?(t=>{let n="";for(let r of t.cssRules)n+=r.cssText;return lr(n)})(e):e;var{is:xs,defineProperty:ws,getOwnPropertyDescriptor:ys,getOwnPropertyNames:$s,getOwnPropertySymbols:vs,getPrototypeOf:As}=Object,wt=globalThis,ur=wt.trustedTypes,ks=ur?ur.emptyScript:"",Ss=wt.reactiveElementPolyfillSupport,Ke=(e,t)=>e,ln={toAttribute(e,t){switch(t){case Boolean:e=e?ks:null;break;case Object:case Array:e=e==null?e:JSON.stringify(e)}return e},fromAttribute(e,t){let n=e;switch(t){case Boolean:n=e!==null;break;case Number:n=e===null?null:Number(e);break;case Object:case Array:try{n=JSON.parse(e)}catch{n=null}}return n}},fr=(e,t)=>!xs(e,t),dr={attribute:!0,type:String,converter:ln,reflect:!1,useDefault:!1,hasChanged:fr};Symbol.metadata??=Symbol("metadata"),wt.litPropertyMetadata??=new WeakMap;var te=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,n=dr){if(n.state&&(n.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((n=Object.create(n)).wrapped=!0),this.elementProperties.set(t,n),!n.noAccessor){let r=Symbol(),o=this.getPropertyDescriptor(t,r,n);o!==void 0&&ws(this.prototype,t,o)}}static getPropertyDescriptor(t,n,r){let{get:o,set:i}=ys(this.prototype,t)??{get(){return this[n]},set(s){this[n]=s}};return{get:o,set(s){let a=o?.call(this);i?.call(this,s),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??dr}static _$Ei(){if(this.hasOwnProperty(Ke("elementProperties")))return;let t=As(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(Ke("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Ke("properties"))){let n=this.properties,r=[...$s(n),...vs(n)];for(let o of r)this.createProperty(o,n[o])}let t=this[Symbol.metadata];if(t!==null){let n=litPropertyMetadata.get(t);if(n!==void 0)for(let[r,o]of n)this.elementProperties.set(r,o)}this._$Eh=new Map;for(let[n,r]of this.elementProperties){let o=this._$Eu(n,r);o!==void 0&&this._$Eh.set(o,n)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let n=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let o of r)n.unshift(an(o))}else t!==void 0&&n.push(an(t));return n}static _$Eu(t,n){let r=n.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,n=this.constructor.elementProperties;for(let r of n.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return cr(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,n,r){this._$AK(t,r)}_$ET(t,n){let r=this.constructor.elementProperties.get(t),o=this.constructor._$Eu(t,r);if(o!==void 0&&r.reflect===!0){let i=(r.converter?.toAttribute!==void 0?r.converter:ln).toAttribute(n,r.type);this._$Em=t,i==null?this.removeAttribute(o):this.setAttribute(o,i),this._$Em=null}}_$AK(t,n){let r=this.constructor,o=r._$Eh.get(t);if(o!==void 0&&this._$Em!==o){let i=r.getPropertyOptions(o),s=typeof i.converter=="function"?{fromAttribute:i.converter}:i.converter?.fromAttribute!==void 0?i.converter:ln;this._$Em=o;let a=s.fromAttribute(n,i.type);this[o]=a??this._$Ej?.get(o)??a,this._$Em=null}}requestUpdate(t,n,r,o=!1,i){if(t!==void 0){let s=this.constructor;if(o===!1&&(i=this[t]),r??=s.getPropertyOptions(t),!((r.hasChanged??fr)(i,n)||r.useDefault&&r.reflect&&i===this._$Ej?.get(t)&&!this.hasAttribute(s._$Eu(t,r))))return;this.C(t,n,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,n,{useDefault:r,reflect:o,wrapped:i},s){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,s??n??this[t]),i!==!0||s!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(n=void 0),this._$AL.set(t,n)),o===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(n){Promise.reject(n)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[o,i]of this._$Ep)this[o]=i;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[o,i]of r){let{wrapped:s}=i,a=this[o];s!==!0||this._$AL.has(o)||a===void 0||this.C(o,void 0,i,a)}}let t=!1,n=this._$AL;try{t=this.shouldUpdate(n),t?(this.willUpdate(n),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(n)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(n)}willUpdate(t){}_$AE(t){this._$EO?.forEach(n=>n.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(n=>this._$ET(n,this[n])),this._$EM()}updated(t){}firstUpdated(t){}};te.elementStyles=[],te.shadowRootOptions={mode:"open"},te[Ke("elementProperties")]=new Map,te[Ke("finalized")]=new Map,Ss?.({ReactiveElement:te}),(wt.reactiveElementVersions??=[]).push("2.1.2");var un=globalThis,mr=e=>e,yt=un.trustedTypes,pr=yt?yt.createPolicy("lit-html",{createHTML:e=>e}):void 0,dn="$lit$",ne=`lit$${Math.random().toFixed(9).slice(2)}$`,fn="?"+ne,Ms=`<${fn}>`,be=document,We=()=>be.createComment(""),Xe=e=>e===null||typeof e!="object"&&typeof e!="function",mn=Array.isArray,yr=e=>mn(e)||typeof e?.[Symbol.iterator]=="function",cn=`[ 	
\f\r]`,Ye=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,hr=/-->/g,gr=/>/g,he=RegExp(`>|${cn}(?:([^\\s"'>=/]+)(${cn}*=${cn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),br=/'/g,xr=/"/g,$r=/^(?:script|style|textarea|title)$/i,pn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),f=pn(1),vr=pn(2),P=pn(3),xe=Symbol.for("lit-noChange"),b=Symbol.for("lit-nothing"),wr=new WeakMap,ge=be.createTreeWalker(be,129);function Ar(e,t){if(!mn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return pr!==void 0?pr.createHTML(t):t}var kr=(e,t)=>{let n=e.length-1,r=[],o,i=t===2?"<svg>":t===3?"<math>":"",s=Ye;for(let a=0;a<n;a++){let c=e[a],l,u,d=-1,m=0;for(;m<c.length&&(s.lastIndex=m,u=s.exec(c),u!==null);)m=s.lastIndex,s===Ye?u[1]==="!--"?s=hr:u[1]!==void 0?s=gr:u[2]!==void 0?($r.test(u[2])&&(o=RegExp("</"+u[2],"g")),s=he):u[3]!==void 0&&(s=he):s===he?u[0]===">"?(s=o??Ye,d=-1):u[1]===void 0?d=-2:(d=s.lastIndex-u[2].length,l=u[1],s=u[3]===void 0?he:u[3]==='"'?xr:br):s===xr||s===br?s=he:s===hr||s===gr?s=Ye:(s=he,o=void 0);let p=s===he&&e[a+1].startsWith("/>")?" ":"";i+=s===Ye?c+Ms:d>=0?(r.push(l),c.slice(0,d)+dn+c.slice(d)+ne+p):c+ne+(d===-2?a:p)}return[Ar(e,i+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Qe=class e{constructor({strings:t,_$litType$:n},r){let o;this.parts=[];let i=0,s=0,a=t.length-1,c=this.parts,[l,u]=kr(t,n);if(this.el=e.createElement(l,r),ge.currentNode=this.el.content,n===2||n===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(o=ge.nextNode())!==null&&c.length<a;){if(o.nodeType===1){if(o.hasAttributes())for(let d of o.getAttributeNames())if(d.endsWith(dn)){let m=u[s++],p=o.getAttribute(d).split(ne),g=/([.?@])?(.*)/.exec(m);c.push({type:1,index:i,name:g[2],strings:p,ctor:g[1]==="."?vt:g[1]==="?"?At:g[1]==="@"?kt:ye}),o.removeAttribute(d)}else d.startsWith(ne)&&(c.push({type:6,index:i}),o.removeAttribute(d));if($r.test(o.tagName)){let d=o.textContent.split(ne),m=d.length-1;if(m>0){o.textContent=yt?yt.emptyScript:"";for(let p=0;p<m;p++)o.append(d[p],We()),ge.nextNode(),c.push({type:2,index:++i});o.append(d[m],We())}}}else if(o.nodeType===8)if(o.data===fn)c.push({type:2,index:i});else{let d=-1;for(;(d=o.data.indexOf(ne,d+1))!==-1;)c.push({type:7,index:i}),d+=ne.length-1}i++}}static createElement(t,n){let r=be.createElement("template");return r.innerHTML=t,r}};function we(e,t,n=e,r){if(t===xe)return t;let o=r!==void 0?n._$Co?.[r]:n._$Cl,i=Xe(t)?void 0:t._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(e),o._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=o:n._$Cl=o),o!==void 0&&(t=we(e,o._$AS(e,t.values),o,r)),t}var $t=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,o=(t?.creationScope??be).importNode(n,!0);ge.currentNode=o;let i=ge.nextNode(),s=0,a=0,c=r[0];for(;c!==void 0;){if(s===c.index){let l;c.type===2?l=new Te(i,i.nextSibling,this,t):c.type===1?l=new c.ctor(i,c.name,c.strings,this,t):c.type===6&&(l=new St(i,this,t)),this._$AV.push(l),c=r[++a]}s!==c?.index&&(i=ge.nextNode(),s++)}return ge.currentNode=be,o}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Te=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,o){this.type=2,this._$AH=b,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=r,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=we(this,t,n),Xe(t)?t===b||t==null||t===""?(this._$AH!==b&&this._$AR(),this._$AH=b):t!==this._$AH&&t!==xe&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):yr(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==b&&Xe(this._$AH)?this._$AA.nextSibling.data=t:this.T(be.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,o=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Qe.createElement(Ar(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new $t(o,this),s=i.u(this.options);i.p(n),this.T(s),this._$AH=i}}_$AC(t){let n=wr.get(t.strings);return n===void 0&&wr.set(t.strings,n=new Qe(t)),n}k(t){mn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,o=0;for(let i of t)o===n.length?n.push(r=new e(this.O(We()),this.O(We()),this,this.options)):r=n[o],r._$AI(i),o++;o<n.length&&(this._$AR(r&&r._$AB.nextSibling,o),n.length=o)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let r=mr(t).nextSibling;mr(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},ye=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,o,i){this.type=1,this._$AH=b,this._$AN=void 0,this.element=t,this.name=n,this._$AM=o,this.options=i,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=b}_$AI(t,n=this,r,o){let i=this.strings,s=!1;if(i===void 0)t=we(this,t,n,0),s=!Xe(t)||t!==this._$AH&&t!==xe,s&&(this._$AH=t);else{let a=t,c,l;for(t=i[0],c=0;c<i.length-1;c++)l=we(this,a[r+c],n,c),l===xe&&(l=this._$AH[c]),s||=!Xe(l)||l!==this._$AH[c],l===b?t=b:t!==b&&(t+=(l??"")+i[c+1]),this._$AH[c]=l}s&&!o&&this.j(t)}j(t){t===b?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},vt=class extends ye{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===b?void 0:t}},At=class extends ye{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==b)}},kt=class extends ye{constructor(t,n,r,o,i){super(t,n,r,o,i),this.type=5}_$AI(t,n=this){if((t=we(this,t,n,0)??b)===xe)return;let r=this._$AH,o=t===b&&r!==b||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,i=t!==b&&(r===b||o);o&&this.element.removeEventListener(this.name,this,r),i&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},St=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){we(this,t)}},Sr={M:dn,P:ne,A:fn,C:1,L:kr,R:$t,D:yr,V:we,I:Te,H:ye,N:At,U:kt,B:vt,F:St},_s=un.litHtmlPolyfillSupport;_s?.(Qe,Te),(un.litHtmlVersions??=[]).push("3.3.3");var Mr=(e,t,n)=>{let r=n?.renderBefore??t,o=r._$litPart$;if(o===void 0){let i=n?.renderBefore??null;r._$litPart$=o=new Te(t.insertBefore(We(),i),i,void 0,n??{})}return o._$AI(e),o};var hn=globalThis,ue=class extends te{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let n=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=Mr(n,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return xe}};ue._$litElement$=!0,ue.finalized=!0,hn.litElementHydrateSupport?.({LitElement:ue});var Ts=hn.litElementPolyfillSupport;Ts?.({LitElement:ue});(hn.litElementVersions??=[]).push("4.2.2");function Mt(e,t){return e==null||t==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Es(e,t){return e==null||t==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function _r(e){let t,n,r;e.length!==2?(t=Mt,n=(a,c)=>Mt(e(a),c),r=(a,c)=>e(a)-c):(t=e===Mt||e===Es?e:Ns,n=e,r=e);function o(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<0?l=d+1:u=d}while(l<u)}return l}function i(a,c,l=0,u=a.length){if(l<u){if(t(c,c)!==0)return u;do{let d=l+u>>>1;n(a[d],c)<=0?l=d+1:u=d}while(l<u)}return l}function s(a,c,l=0,u=a.length){let d=o(a,c,l,u-1);return d>l&&r(a[d-1],c)>-r(a[d],c)?d-1:d}return{left:o,center:s,right:i}}function Ns(){return 0}function Rs(e){return e===null?NaN:+e}var Tr=_r(Mt),Er=Tr.right,$c=Tr.left,vc=_r(Rs).center;var Ac=Nr(Rr),kc=Nr(Cs);function Nr(e){return function(t,n,r=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((r=+r)>=0))throw new RangeError("invalid ry");let{data:o,width:i,height:s}=t;if(!((i=Math.floor(i))>=0))throw new RangeError("invalid width");if(!((s=Math.floor(s!==void 0?s:o.length/i))>=0))throw new RangeError("invalid height");if(!i||!s||!n&&!r)return t;let a=n&&e(n),c=r&&e(r),l=o.slice();return a&&c?(Ee(a,l,o,i,s),Ee(a,o,l,i,s),Ee(a,l,o,i,s),Ne(c,o,l,i,s),Ne(c,l,o,i,s),Ne(c,o,l,i,s)):a?(Ee(a,o,l,i,s),Ee(a,l,o,i,s),Ee(a,o,l,i,s)):c&&(Ne(c,o,l,i,s),Ne(c,l,o,i,s),Ne(c,o,l,i,s)),t}}function Ee(e,t,n,r,o){for(let i=0,s=r*o;i<s;)e(t,n,i,i+=r,1)}function Ne(e,t,n,r,o){for(let i=0,s=r*o;i<r;++i)e(t,n,i,i+s,r)}function Cs(e){let t=Rr(e);return(n,r,o,i,s)=>{o<<=2,i<<=2,s<<=2,t(n,r,o+0,i+0,s),t(n,r,o+1,i+1,s),t(n,r,o+2,i+2,s),t(n,r,o+3,i+3,s)}}function Rr(e){let t=Math.floor(e);if(t===e)return Ps(e);let n=e-t,r=2*e+1;return(o,i,s,a,c)=>{if(!((a-=c)>=s))return;let l=t*i[s],u=c*t,d=u+c;for(let m=s,p=s+u;m<p;m+=c)l+=i[Math.min(a,m)];for(let m=s,p=a;m<=p;m+=c)l+=i[Math.min(a,m+u)],o[m]=(l+n*(i[Math.max(s,m-d)]+i[Math.min(a,m+d)]))/r,l-=i[Math.max(s,m-u)]}}function Ps(e){let t=2*e+1;return(n,r,o,i,s)=>{if(!((i-=s)>=o))return;let a=e*r[o],c=s*e;for(let l=o,u=o+c;l<u;l+=s)a+=r[Math.min(i,l)];for(let l=o,u=i;l<=u;l+=s)a+=r[Math.min(i,l+c)],n[l]=a/t,a-=r[Math.max(o,l-c)]}}var Hs=Array.prototype,Sc=Hs.slice;var Is=Math.sqrt(50),Ls=Math.sqrt(10),Os=Math.sqrt(2);function _t(e,t,n){let r=(t-e)/Math.max(0,n),o=Math.floor(Math.log10(r)),i=r/Math.pow(10,o),s=i>=Is?10:i>=Ls?5:i>=Os?2:1,a,c,l;return o<0?(l=Math.pow(10,-o)/s,a=Math.round(e*l),c=Math.round(t*l),a/l<e&&++a,c/l>t&&--c,l=-l):(l=Math.pow(10,o)*s,a=Math.round(e/l),c=Math.round(t/l),a*l<e&&++a,c*l>t&&--c),c<a&&.5<=n&&n<2?_t(e,t,n*2):[a,c,l]}function Cr(e,t,n){if(t=+t,e=+e,n=+n,!(n>0))return[];if(e===t)return[e];let r=t<e,[o,i,s]=r?_t(t,e,n):_t(e,t,n);if(!(i>=o))return[];let a=i-o+1,c=new Array(a);if(r)if(s<0)for(let l=0;l<a;++l)c[l]=(i-l)/-s;else for(let l=0;l<a;++l)c[l]=(i-l)*s;else if(s<0)for(let l=0;l<a;++l)c[l]=(o+l)/-s;else for(let l=0;l<a;++l)c[l]=(o+l)*s;return c}function Tt(e,t,n){return t=+t,e=+e,n=+n,_t(e,t,n)[2]}function Pr(e,t,n){t=+t,e=+e,n=+n;let r=t<e,o=r?Tt(t,e,n):Tt(e,t,n);return(r?-1:1)*(o<0?1/-o:o)}var Mc=Us(Math.random);function Us(e){return function(n,r=0,o=n.length){let i=o-(r=+r);for(;i;){let s=e()*i--|0,a=n[i+r];n[i+r]=n[s+r],n[s+r]=a}return n}}function Hr(e,t){switch(arguments.length){case 0:break;case 1:this.range(e);break;default:this.range(t).domain(e);break}return this}function Et(e,t){switch(arguments.length){case 0:break;case 1:{typeof e=="function"?this.interpolator(e):this.range(e);break}default:{this.domain(e),typeof t=="function"?this.interpolator(t):this.range(t);break}}return this}function He(e,t,n){e.prototype=t.prototype=n,n.constructor=e}function et(e,t){var n=Object.create(e.prototype);for(var r in t)n[r]=t[r];return n}function de(){}var ke=.7,Pe=1/ke,Re="\\s*([+-]?\\d+)\\s*",Ze="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",W="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",zs=/^#([0-9a-f]{3,8})$/,Vs=new RegExp(`^rgb\\(${Re},${Re},${Re}\\)$`),Bs=new RegExp(`^rgb\\(${W},${W},${W}\\)$`),qs=new RegExp(`^rgba\\(${Re},${Re},${Re},${Ze}\\)$`),Ds=new RegExp(`^rgba\\(${W},${W},${W},${Ze}\\)$`),js=new RegExp(`^hsl\\(${Ze},${W},${W}\\)$`),Gs=new RegExp(`^hsla\\(${Ze},${W},${W},${Ze}\\)$`),Ir={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};He(de,Ie,{copy(e){return Object.assign(new this.constructor,this,e)},displayable(){return this.rgb().displayable()},hex:Lr,formatHex:Lr,formatHex8:Fs,formatHsl:Ks,formatRgb:Or,toString:Or});function Lr(){return this.rgb().formatHex()}function Fs(){return this.rgb().formatHex8()}function Ks(){return Fr(this).formatHsl()}function Or(){return this.rgb().formatRgb()}function Ie(e){var t,n;return e=(e+"").trim().toLowerCase(),(t=zs.exec(e))?(n=t[1].length,t=parseInt(t[1],16),n===6?Ur(t):n===3?new H(t>>8&15|t>>4&240,t>>4&15|t&240,(t&15)<<4|t&15,1):n===8?Nt(t>>24&255,t>>16&255,t>>8&255,(t&255)/255):n===4?Nt(t>>12&15|t>>8&240,t>>8&15|t>>4&240,t>>4&15|t&240,((t&15)<<4|t&15)/255):null):(t=Vs.exec(e))?new H(t[1],t[2],t[3],1):(t=Bs.exec(e))?new H(t[1]*255/100,t[2]*255/100,t[3]*255/100,1):(t=qs.exec(e))?Nt(t[1],t[2],t[3],t[4]):(t=Ds.exec(e))?Nt(t[1]*255/100,t[2]*255/100,t[3]*255/100,t[4]):(t=js.exec(e))?Br(t[1],t[2]/100,t[3]/100,1):(t=Gs.exec(e))?Br(t[1],t[2]/100,t[3]/100,t[4]):Ir.hasOwnProperty(e)?Ur(Ir[e]):e==="transparent"?new H(NaN,NaN,NaN,0):null}function Ur(e){return new H(e>>16&255,e>>8&255,e&255,1)}function Nt(e,t,n,r){return r<=0&&(e=t=n=NaN),new H(e,t,n,r)}function $n(e){return e instanceof de||(e=Ie(e)),e?(e=e.rgb(),new H(e.r,e.g,e.b,e.opacity)):new H}function tt(e,t,n,r){return arguments.length===1?$n(e):new H(e,t,n,r??1)}function H(e,t,n,r){this.r=+e,this.g=+t,this.b=+n,this.opacity=+r}He(H,tt,et(de,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new H(this.r*e,this.g*e,this.b*e,this.opacity)},darker(e){return e=e==null?ke:Math.pow(ke,e),new H(this.r*e,this.g*e,this.b*e,this.opacity)},rgb(){return this},clamp(){return new H(ve(this.r),ve(this.g),ve(this.b),Ct(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:zr,formatHex:zr,formatHex8:Ys,formatRgb:Vr,toString:Vr}));function zr(){return`#${$e(this.r)}${$e(this.g)}${$e(this.b)}`}function Ys(){return`#${$e(this.r)}${$e(this.g)}${$e(this.b)}${$e((isNaN(this.opacity)?1:this.opacity)*255)}`}function Vr(){let e=Ct(this.opacity);return`${e===1?"rgb(":"rgba("}${ve(this.r)}, ${ve(this.g)}, ${ve(this.b)}${e===1?")":`, ${e})`}`}function Ct(e){return isNaN(e)?1:Math.max(0,Math.min(1,e))}function ve(e){return Math.max(0,Math.min(255,Math.round(e)||0))}function $e(e){return e=ve(e),(e<16?"0":"")+e.toString(16)}function Br(e,t,n,r){return r<=0?e=t=n=NaN:n<=0||n>=1?e=t=NaN:t<=0&&(e=NaN),new j(e,t,n,r)}function Fr(e){if(e instanceof j)return new j(e.h,e.s,e.l,e.opacity);if(e instanceof de||(e=Ie(e)),!e)return new j;if(e instanceof j)return e;e=e.rgb();var t=e.r/255,n=e.g/255,r=e.b/255,o=Math.min(t,n,r),i=Math.max(t,n,r),s=NaN,a=i-o,c=(i+o)/2;return a?(t===i?s=(n-r)/a+(n<r)*6:n===i?s=(r-t)/a+2:s=(t-n)/a+4,a/=c<.5?i+o:2-i-o,s*=60):a=c>0&&c<1?0:s,new j(s,a,c,e.opacity)}function Ht(e,t,n,r){return arguments.length===1?Fr(e):new j(e,t,n,r??1)}function j(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}He(j,Ht,et(de,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new j(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ke:Math.pow(ke,e),new j(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=this.h%360+(this.h<0)*360,t=isNaN(e)||isNaN(this.s)?0:this.s,n=this.l,r=n+(n<.5?n:1-n)*t,o=2*n-r;return new H(gn(e>=240?e-240:e+120,o,r),gn(e,o,r),gn(e<120?e+240:e-120,o,r),this.opacity)},clamp(){return new j(qr(this.h),Rt(this.s),Rt(this.l),Ct(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let e=Ct(this.opacity);return`${e===1?"hsl(":"hsla("}${qr(this.h)}, ${Rt(this.s)*100}%, ${Rt(this.l)*100}%${e===1?")":`, ${e})`}`}}));function qr(e){return e=(e||0)%360,e<0?e+360:e}function Rt(e){return Math.max(0,Math.min(1,e||0))}function gn(e,t,n){return(e<60?t+(n-t)*e/60:e<180?n:e<240?t+(n-t)*(240-e)/60:t)*255}var Kr=Math.PI/180,Yr=180/Math.PI,Pt=18,Wr=.96422,Xr=1,Qr=.82521,Zr=4/29,Ce=6/29,Jr=3*Ce*Ce,Ws=Ce*Ce*Ce;function eo(e){if(e instanceof X)return new X(e.l,e.a,e.b,e.opacity);if(e instanceof re)return no(e);e instanceof H||(e=$n(e));var t=yn(e.r),n=yn(e.g),r=yn(e.b),o=bn((.2225045*t+.7168786*n+.0606169*r)/Xr),i,s;return t===n&&n===r?i=s=o:(i=bn((.4360747*t+.3850649*n+.1430804*r)/Wr),s=bn((.0139322*t+.0971045*n+.7141733*r)/Qr)),new X(116*o-16,500*(i-o),200*(o-s),e.opacity)}function to(e,t,n,r){return arguments.length===1?eo(e):new X(e,t,n,r??1)}function X(e,t,n,r){this.l=+e,this.a=+t,this.b=+n,this.opacity=+r}He(X,to,et(de,{brighter(e){return new X(this.l+Pt*(e??1),this.a,this.b,this.opacity)},darker(e){return new X(this.l-Pt*(e??1),this.a,this.b,this.opacity)},rgb(){var e=(this.l+16)/116,t=isNaN(this.a)?e:e+this.a/500,n=isNaN(this.b)?e:e-this.b/200;return t=Wr*xn(t),e=Xr*xn(e),n=Qr*xn(n),new H(wn(3.1338561*t-1.6168667*e-.4906146*n),wn(-.9787684*t+1.9161415*e+.033454*n),wn(.0719453*t-.2289914*e+1.4052427*n),this.opacity)}}));function bn(e){return e>Ws?Math.pow(e,1/3):e/Jr+Zr}function xn(e){return e>Ce?e*e*e:Jr*(e-Zr)}function wn(e){return 255*(e<=.0031308?12.92*e:1.055*Math.pow(e,1/2.4)-.055)}function yn(e){return(e/=255)<=.04045?e/12.92:Math.pow((e+.055)/1.055,2.4)}function Xs(e){if(e instanceof re)return new re(e.h,e.c,e.l,e.opacity);if(e instanceof X||(e=eo(e)),e.a===0&&e.b===0)return new re(NaN,0<e.l&&e.l<100?0:NaN,e.l,e.opacity);var t=Math.atan2(e.b,e.a)*Yr;return new re(t<0?t+360:t,Math.sqrt(e.a*e.a+e.b*e.b),e.l,e.opacity)}function It(e,t,n,r){return arguments.length===1?Xs(e):new re(e,t,n,r??1)}function re(e,t,n,r){this.h=+e,this.c=+t,this.l=+n,this.opacity=+r}function no(e){if(isNaN(e.h))return new X(e.l,0,0,e.opacity);var t=e.h*Kr;return new X(e.l,Math.cos(t)*e.c,Math.sin(t)*e.c,e.opacity)}He(re,It,et(de,{brighter(e){return new re(this.h,this.c,this.l+Pt*(e??1),this.opacity)},darker(e){return new re(this.h,this.c,this.l-Pt*(e??1),this.opacity)},rgb(){return no(this).rgb()}}));var ro=-.14861,vn=1.78277,An=-.29227,Lt=-.90649,Je=1.97294,Dr=Je*Lt,jr=Je*vn,Gr=vn*An-Lt*ro;function Qs(e){if(e instanceof Ae)return new Ae(e.h,e.s,e.l,e.opacity);e instanceof H||(e=$n(e));var t=e.r/255,n=e.g/255,r=e.b/255,o=(Gr*r+Dr*t-jr*n)/(Gr+Dr-jr),i=r-o,s=(Je*(n-o)-An*i)/Lt,a=Math.sqrt(s*s+i*i)/(Je*o*(1-o)),c=a?Math.atan2(s,i)*Yr-120:NaN;return new Ae(c<0?c+360:c,a,o,e.opacity)}function Ot(e,t,n,r){return arguments.length===1?Qs(e):new Ae(e,t,n,r??1)}function Ae(e,t,n,r){this.h=+e,this.s=+t,this.l=+n,this.opacity=+r}He(Ae,Ot,et(de,{brighter(e){return e=e==null?Pe:Math.pow(Pe,e),new Ae(this.h,this.s,this.l*e,this.opacity)},darker(e){return e=e==null?ke:Math.pow(ke,e),new Ae(this.h,this.s,this.l*e,this.opacity)},rgb(){var e=isNaN(this.h)?0:(this.h+120)*Kr,t=+this.l,n=isNaN(this.s)?0:this.s*t*(1-t),r=Math.cos(e),o=Math.sin(e);return new H(255*(t+n*(ro*r+vn*o)),255*(t+n*(An*r+Lt*o)),255*(t+n*(Je*r)),this.opacity)}}));function ao(e,t,n,r,o){var i=e*e,s=i*e;return((1-3*e+3*i-s)*t+(4-6*i+3*s)*n+(1+3*e+3*i-3*s)*r+s*o)/6}function Zs(e){var t=e.length-1;return function(n){var r=n<=0?n=0:n>=1?(n=1,t-1):Math.floor(n*t),o=e[r],i=e[r+1],s=r>0?e[r-1]:2*o-i,a=r<t-1?e[r+2]:2*i-o;return ao((n-r/t)*t,s,o,i,a)}}function Js(e){var t=e.length;return function(n){var r=Math.floor(((n%=1)<0?++n:n)*t),o=e[(r+t-1)%t],i=e[r%t],s=e[(r+1)%t],a=e[(r+2)%t];return ao((n-r/t)*t,o,i,s,a)}}var zt=e=>()=>e;function lo(e,t){return function(n){return e+n*t}}function ea(e,t,n){return e=Math.pow(e,n),t=Math.pow(t,n)-e,n=1/n,function(r){return Math.pow(e+r*t,n)}}function _n(e,t){var n=t-e;return n?lo(e,n>180||n<-180?n-360*Math.round(n/360):n):zt(isNaN(e)?t:e)}function ta(e){return(e=+e)==1?O:function(t,n){return n-t?ea(t,n,e):zt(isNaN(t)?n:t)}}function O(e,t){var n=t-e;return n?lo(e,n):zt(isNaN(e)?t:e)}var oo=(function e(t){var n=ta(t);function r(o,i){var s=n((o=tt(o)).r,(i=tt(i)).r),a=n(o.g,i.g),c=n(o.b,i.b),l=O(o.opacity,i.opacity);return function(u){return o.r=s(u),o.g=a(u),o.b=c(u),o.opacity=l(u),o+""}}return r.gamma=e,r})(1);function co(e){return function(t){var n=t.length,r=new Array(n),o=new Array(n),i=new Array(n),s,a;for(s=0;s<n;++s)a=tt(t[s]),r[s]=a.r||0,o[s]=a.g||0,i[s]=a.b||0;return r=e(r),o=e(o),i=e(i),a.opacity=1,function(c){return a.r=r(c),a.g=o(c),a.b=i(c),a+""}}}var uo=co(Zs),Rc=co(Js);function na(e,t){t||(t=[]);var n=e?Math.min(t.length,e.length):0,r=t.slice(),o;return function(i){for(o=0;o<n;++o)r[o]=e[o]*(1-i)+t[o]*i;return r}}function ra(e){return ArrayBuffer.isView(e)&&!(e instanceof DataView)}function oa(e,t){var n=t?t.length:0,r=e?Math.min(n,e.length):0,o=new Array(r),i=new Array(n),s;for(s=0;s<r;++s)o[s]=oe(e[s],t[s]);for(;s<n;++s)i[s]=t[s];return function(a){for(s=0;s<r;++s)i[s]=o[s](a);return i}}function ia(e,t){var n=new Date;return e=+e,t=+t,function(r){return n.setTime(e*(1-r)+t*r),n}}function G(e,t){return e=+e,t=+t,function(n){return e*(1-n)+t*n}}function sa(e,t){var n={},r={},o;(e===null||typeof e!="object")&&(e={}),(t===null||typeof t!="object")&&(t={});for(o in t)o in e?n[o]=oe(e[o],t[o]):r[o]=t[o];return function(i){for(o in n)r[o]=n[o](i);return r}}var Sn=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,kn=new RegExp(Sn.source,"g");function aa(e){return function(){return e}}function la(e){return function(t){return e(t)+""}}function ca(e,t){var n=Sn.lastIndex=kn.lastIndex=0,r,o,i,s=-1,a=[],c=[];for(e=e+"",t=t+"";(r=Sn.exec(e))&&(o=kn.exec(t));)(i=o.index)>n&&(i=t.slice(n,i),a[s]?a[s]+=i:a[++s]=i),(r=r[0])===(o=o[0])?a[s]?a[s]+=o:a[++s]=o:(a[++s]=null,c.push({i:s,x:G(r,o)})),n=kn.lastIndex;return n<t.length&&(i=t.slice(n),a[s]?a[s]+=i:a[++s]=i),a.length<2?c[0]?la(c[0].x):aa(t):(t=c.length,function(l){for(var u=0,d;u<t;++u)a[(d=c[u]).i]=d.x(l);return a.join("")})}function oe(e,t){var n=typeof t,r;return t==null||n==="boolean"?zt(t):(n==="number"?G:n==="string"?(r=Ie(t))?(t=r,oo):ca:t instanceof Ie?oo:t instanceof Date?ia:ra(t)?na:Array.isArray(t)?oa:typeof t.valueOf!="function"&&typeof t.toString!="function"||isNaN(t)?sa:G)(e,t)}function Le(e,t){return e=+e,t=+t,function(n){return Math.round(e*(1-n)+t*n)}}var io=180/Math.PI,Mn={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function fo(e,t,n,r,o,i){var s,a,c;return(s=Math.sqrt(e*e+t*t))&&(e/=s,t/=s),(c=e*n+t*r)&&(n-=e*c,r-=t*c),(a=Math.sqrt(n*n+r*r))&&(n/=a,r/=a,c/=a),e*r<t*n&&(e=-e,t=-t,c=-c,s=-s),{translateX:o,translateY:i,rotate:Math.atan2(t,e)*io,skewX:Math.atan(c)*io,scaleX:s,scaleY:a}}var Ut;function ua(e){let t=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(e+"");return t.isIdentity?Mn:fo(t.a,t.b,t.c,t.d,t.e,t.f)}function da(e){return e==null||(Ut||(Ut=document.createElementNS("http://www.w3.org/2000/svg","g")),Ut.setAttribute("transform",e),!(e=Ut.transform.baseVal.consolidate()))?Mn:(e=e.matrix,fo(e.a,e.b,e.c,e.d,e.e,e.f))}function mo(e,t,n,r){function o(l){return l.length?l.pop()+" ":""}function i(l,u,d,m,p,g){if(l!==d||u!==m){var h=p.push("translate(",null,t,null,n);g.push({i:h-4,x:G(l,d)},{i:h-2,x:G(u,m)})}else(d||m)&&p.push("translate("+d+t+m+n)}function s(l,u,d,m){l!==u?(l-u>180?u+=360:u-l>180&&(l+=360),m.push({i:d.push(o(d)+"rotate(",null,r)-2,x:G(l,u)})):u&&d.push(o(d)+"rotate("+u+r)}function a(l,u,d,m){l!==u?m.push({i:d.push(o(d)+"skewX(",null,r)-2,x:G(l,u)}):u&&d.push(o(d)+"skewX("+u+r)}function c(l,u,d,m,p,g){if(l!==d||u!==m){var h=p.push(o(p)+"scale(",null,",",null,")");g.push({i:h-4,x:G(l,d)},{i:h-2,x:G(u,m)})}else(d!==1||m!==1)&&p.push(o(p)+"scale("+d+","+m+")")}return function(l,u){var d=[],m=[];return l=e(l),u=e(u),i(l.translateX,l.translateY,u.translateX,u.translateY,d,m),s(l.rotate,u.rotate,d,m),a(l.skewX,u.skewX,d,m),c(l.scaleX,l.scaleY,u.scaleX,u.scaleY,d,m),l=u=null,function(p){for(var g=-1,h=m.length,x;++g<h;)d[(x=m[g]).i]=x.x(p);return d.join("")}}}var Cc=mo(ua,"px, ","px)","deg)"),Pc=mo(da,", ",")",")"),fa=1e-12;function so(e){return((e=Math.exp(e))+1/e)/2}function ma(e){return((e=Math.exp(e))-1/e)/2}function pa(e){return((e=Math.exp(2*e))-1)/(e+1)}var Hc=(function e(t,n,r){function o(i,s){var a=i[0],c=i[1],l=i[2],u=s[0],d=s[1],m=s[2],p=u-a,g=d-c,h=p*p+g*g,x,y;if(h<fa)y=Math.log(m/l)/t,x=function(A){return[a+A*p,c+A*g,l*Math.exp(t*A*y)]};else{var v=Math.sqrt(h),C=(m*m-l*l+r*h)/(2*l*n*v),L=(m*m-l*l-r*h)/(2*m*n*v),Y=Math.log(Math.sqrt(C*C+1)-C),$=Math.log(Math.sqrt(L*L+1)-L);y=($-Y)/t,x=function(A){var _=A*y,E=so(Y),D=l/(n*v)*(E*pa(t*_+Y)-ma(Y));return[a+D*p,c+D*g,l*E/so(t*_+Y)]}}return x.duration=Math.abs(y)*1e3*t/Math.SQRT2,x}return o.rho=function(i){var s=Math.max(.001,+i),a=s*s,c=a*a;return e(s,a,c)},o})(Math.SQRT2,2,4);function po(e){return function(t,n){var r=e((t=Ht(t)).h,(n=Ht(n)).h),o=O(t.s,n.s),i=O(t.l,n.l),s=O(t.opacity,n.opacity);return function(a){return t.h=r(a),t.s=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Ic=po(_n),Lc=po(O);function ho(e){return function(t,n){var r=e((t=It(t)).h,(n=It(n)).h),o=O(t.c,n.c),i=O(t.l,n.l),s=O(t.opacity,n.opacity);return function(a){return t.h=r(a),t.c=o(a),t.l=i(a),t.opacity=s(a),t+""}}}var Oc=ho(_n),Uc=ho(O);function go(e){return(function t(n){n=+n;function r(o,i){var s=e((o=Ot(o)).h,(i=Ot(i)).h),a=O(o.s,i.s),c=O(o.l,i.l),l=O(o.opacity,i.opacity);return function(u){return o.h=s(u),o.s=a(u),o.l=c(Math.pow(u,n)),o.opacity=l(u),o+""}}return r.gamma=t,r})(1)}var zc=go(_n),Vc=go(O);function bo(e,t){t===void 0&&(t=e,e=oe);for(var n=0,r=t.length-1,o=t[0],i=new Array(r<0?0:r);n<r;)i[n]=e(o,o=t[++n]);return function(s){var a=Math.max(0,Math.min(r-1,Math.floor(s*=r)));return i[a](s-a)}}function Tn(e){return function(){return e}}function En(e){return+e}var xo=[0,1];function V(e){return e}function Nn(e,t){return(t-=e=+e)?function(n){return(n-e)/t}:Tn(isNaN(t)?NaN:.5)}function ha(e,t){var n;return e>t&&(n=e,e=t,t=n),function(r){return Math.max(e,Math.min(t,r))}}function ga(e,t,n){var r=e[0],o=e[1],i=t[0],s=t[1];return o<r?(r=Nn(o,r),i=n(s,i)):(r=Nn(r,o),i=n(i,s)),function(a){return i(r(a))}}function ba(e,t,n){var r=Math.min(e.length,t.length)-1,o=new Array(r),i=new Array(r),s=-1;for(e[r]<e[0]&&(e=e.slice().reverse(),t=t.slice().reverse());++s<r;)o[s]=Nn(e[s],e[s+1]),i[s]=n(t[s],t[s+1]);return function(a){var c=Er(e,a,1,r)-1;return i[c](o[c](a))}}function wo(e,t){return t.domain(e.domain()).range(e.range()).interpolate(e.interpolate()).clamp(e.clamp()).unknown(e.unknown())}function xa(){var e=xo,t=xo,n=oe,r,o,i,s=V,a,c,l;function u(){var m=Math.min(e.length,t.length);return s!==V&&(s=ha(e[0],e[m-1])),a=m>2?ba:ga,c=l=null,d}function d(m){return m==null||isNaN(m=+m)?i:(c||(c=a(e.map(r),t,n)))(r(s(m)))}return d.invert=function(m){return s(o((l||(l=a(t,e.map(r),G)))(m)))},d.domain=function(m){return arguments.length?(e=Array.from(m,En),u()):e.slice()},d.range=function(m){return arguments.length?(t=Array.from(m),u()):t.slice()},d.rangeRound=function(m){return t=Array.from(m),n=Le,u()},d.clamp=function(m){return arguments.length?(s=m?!0:V,u()):s!==V},d.interpolate=function(m){return arguments.length?(n=m,u()):n},d.unknown=function(m){return arguments.length?(i=m,d):i},function(m,p){return r=m,o=p,u()}}function Rn(){return xa()(V,V)}function wa(e){return Math.abs(e=Math.round(e))>=1e21?e.toLocaleString("en").replace(/,/g,""):e.toString(10)}function Bt(e,t){if(!isFinite(e)||e===0)return null;var n=(e=t?e.toExponential(t-1):e.toExponential()).indexOf("e"),r=e.slice(0,n);return[r.length>1?r[0]+r.slice(2):r,+e.slice(n+1)]}function Oe(e){return e=Bt(Math.abs(e)),e?e[1]:NaN}function ya(e,t){return function(n,r){for(var o=n.length,i=[],s=0,a=e[0],c=0;o>0&&a>0&&(c+a+1>r&&(a=Math.max(1,r-c)),i.push(n.substring(o-=a,o+a)),!((c+=a+1)>r));)a=e[s=(s+1)%e.length];return i.reverse().join(t)}}function $a(e){return function(t){return t.replace(/[0-9]/g,function(n){return e[+n]})}}var va=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function nt(e){if(!(t=va.exec(e)))throw new Error("invalid format: "+e);var t;return new Cn({fill:t[1],align:t[2],sign:t[3],symbol:t[4],zero:t[5],width:t[6],comma:t[7],precision:t[8]&&t[8].slice(1),trim:t[9],type:t[10]})}nt.prototype=Cn.prototype;function Cn(e){this.fill=e.fill===void 0?" ":e.fill+"",this.align=e.align===void 0?">":e.align+"",this.sign=e.sign===void 0?"-":e.sign+"",this.symbol=e.symbol===void 0?"":e.symbol+"",this.zero=!!e.zero,this.width=e.width===void 0?void 0:+e.width,this.comma=!!e.comma,this.precision=e.precision===void 0?void 0:+e.precision,this.trim=!!e.trim,this.type=e.type===void 0?"":e.type+""}Cn.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function Aa(e){e:for(var t=e.length,n=1,r=-1,o;n<t;++n)switch(e[n]){case".":r=o=n;break;case"0":r===0&&(r=n),o=n;break;default:if(!+e[n])break e;r>0&&(r=0);break}return r>0?e.slice(0,r)+e.slice(o+1):e}var qt;function ka(e,t){var n=Bt(e,t);if(!n)return qt=void 0,e.toPrecision(t);var r=n[0],o=n[1],i=o-(qt=Math.max(-8,Math.min(8,Math.floor(o/3)))*3)+1,s=r.length;return i===s?r:i>s?r+new Array(i-s+1).join("0"):i>0?r.slice(0,i)+"."+r.slice(i):"0."+new Array(1-i).join("0")+Bt(e,Math.max(0,t+i-1))[0]}function yo(e,t){var n=Bt(e,t);if(!n)return e+"";var r=n[0],o=n[1];return o<0?"0."+new Array(-o).join("0")+r:r.length>o+1?r.slice(0,o+1)+"."+r.slice(o+1):r+new Array(o-r.length+2).join("0")}var $o={"%":(e,t)=>(e*100).toFixed(t),b:e=>Math.round(e).toString(2),c:e=>e+"",d:wa,e:(e,t)=>e.toExponential(t),f:(e,t)=>e.toFixed(t),g:(e,t)=>e.toPrecision(t),o:e=>Math.round(e).toString(8),p:(e,t)=>yo(e*100,t),r:yo,s:ka,X:e=>Math.round(e).toString(16).toUpperCase(),x:e=>Math.round(e).toString(16)};function vo(e){return e}var Ao=Array.prototype.map,ko=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function Sa(e){var t=e.grouping===void 0||e.thousands===void 0?vo:ya(Ao.call(e.grouping,Number),e.thousands+""),n=e.currency===void 0?"":e.currency[0]+"",r=e.currency===void 0?"":e.currency[1]+"",o=e.decimal===void 0?".":e.decimal+"",i=e.numerals===void 0?vo:$a(Ao.call(e.numerals,String)),s=e.percent===void 0?"%":e.percent+"",a=e.minus===void 0?"−":e.minus+"",c=e.nan===void 0?"NaN":e.nan+"";function l(d,m){d=nt(d);var p=d.fill,g=d.align,h=d.sign,x=d.symbol,y=d.zero,v=d.width,C=d.comma,L=d.precision,Y=d.trim,$=d.type;$==="n"?(C=!0,$="g"):$o[$]||(L===void 0&&(L=12),Y=!0,$="g"),(y||p==="0"&&g==="=")&&(y=!0,p="0",g="=");var A=(m&&m.prefix!==void 0?m.prefix:"")+(x==="$"?n:x==="#"&&/[boxX]/.test($)?"0"+$.toLowerCase():""),_=(x==="$"?r:/[%p]/.test($)?s:"")+(m&&m.suffix!==void 0?m.suffix:""),E=$o[$],D=/[defgprs%]/.test($);L=L===void 0?6:/[gprs]/.test($)?Math.max(1,Math.min(21,L)):Math.max(0,Math.min(20,L));function Ge(k){var J=A,z=_,_e,sr,pt;if($==="c")z=E(k)+z,k="";else{k=+k;var ht=k<0||1/k<0;if(k=isNaN(k)?c:E(Math.abs(k),L),Y&&(k=Aa(k)),ht&&+k==0&&h!=="+"&&(ht=!1),J=(ht?h==="("?h:a:h==="-"||h==="("?"":h)+J,z=($==="s"&&!isNaN(k)&&qt!==void 0?ko[8+qt/3]:"")+z+(ht&&h==="("?")":""),D){for(_e=-1,sr=k.length;++_e<sr;)if(pt=k.charCodeAt(_e),48>pt||pt>57){z=(pt===46?o+k.slice(_e+1):k.slice(_e))+z,k=k.slice(0,_e);break}}}C&&!y&&(k=t(k,1/0));var gt=J.length+k.length+z.length,ee=gt<v?new Array(v-gt+1).join(p):"";switch(C&&y&&(k=t(ee+k,ee.length?v-z.length:1/0),ee=""),g){case"<":k=J+k+z+ee;break;case"=":k=J+ee+k+z;break;case"^":k=ee.slice(0,gt=ee.length>>1)+J+k+z+ee.slice(gt);break;default:k=ee+J+k+z;break}return i(k)}return Ge.toString=function(){return d+""},Ge}function u(d,m){var p=Math.max(-8,Math.min(8,Math.floor(Oe(m)/3)))*3,g=Math.pow(10,-p),h=l((d=nt(d),d.type="f",d),{suffix:ko[8+p/3]});return function(x){return h(g*x)}}return{format:l,formatPrefix:u}}var Vt,Pn,Hn;Ma({thousands:",",grouping:[3],currency:["$",""]});function Ma(e){return Vt=Sa(e),Pn=Vt.format,Hn=Vt.formatPrefix,Vt}function So(e){return Math.max(0,-Oe(Math.abs(e)))}function Mo(e,t){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(Oe(t)/3)))*3-Oe(Math.abs(e)))}function _o(e,t){return e=Math.abs(e),t=Math.abs(t)-e,Math.max(0,Oe(t)-Oe(e))+1}function In(e,t,n,r){var o=Pr(e,t,n),i;switch(r=nt(r??",f"),r.type){case"s":{var s=Math.max(Math.abs(e),Math.abs(t));return r.precision==null&&!isNaN(i=Mo(o,s))&&(r.precision=i),Hn(r,s)}case"":case"e":case"g":case"p":case"r":{r.precision==null&&!isNaN(i=_o(o,Math.max(Math.abs(e),Math.abs(t))))&&(r.precision=i-(r.type==="e"));break}case"f":case"%":{r.precision==null&&!isNaN(i=So(o))&&(r.precision=i-(r.type==="%")*2);break}}return Pn(r)}function rt(e){var t=e.domain;return e.ticks=function(n){var r=t();return Cr(r[0],r[r.length-1],n??10)},e.tickFormat=function(n,r){var o=t();return In(o[0],o[o.length-1],n??10,r)},e.nice=function(n){n==null&&(n=10);var r=t(),o=0,i=r.length-1,s=r[o],a=r[i],c,l,u=10;for(a<s&&(l=s,s=a,a=l,l=o,o=i,i=l);u-- >0;){if(l=Tt(s,a,n),l===c)return r[o]=s,r[i]=a,t(r);if(l>0)s=Math.floor(s/l)*l,a=Math.ceil(a/l)*l;else if(l<0)s=Math.ceil(s*l)/l,a=Math.floor(a*l)/l;else break;c=l}return e},e}function F(){var e=Rn();return e.copy=function(){return wo(e,F())},Hr.apply(e,arguments),rt(e)}function _a(){var e=0,t=1,n,r,o,i,s=V,a=!1,c;function l(d){return d==null||isNaN(d=+d)?c:s(o===0?.5:(d=(i(d)-n)*o,a?Math.max(0,Math.min(1,d)):d))}l.domain=function(d){return arguments.length?([e,t]=d,n=i(e=+e),r=i(t=+t),o=n===r?0:1/(r-n),l):[e,t]},l.clamp=function(d){return arguments.length?(a=!!d,l):a},l.interpolator=function(d){return arguments.length?(s=d,l):s};function u(d){return function(m){var p,g;return arguments.length?([p,g]=m,s=d(p,g),l):[s(0),s(1)]}}return l.range=u(oe),l.rangeRound=u(Le),l.unknown=function(d){return arguments.length?(c=d,l):c},function(d){return i=d,n=d(e),r=d(t),o=n===r?0:1/(r-n),l}}function Ln(e,t){return t.domain(e.domain()).interpolator(e.interpolator()).clamp(e.clamp()).unknown(e.unknown())}function ot(){var e=rt(_a()(V));return e.copy=function(){return Ln(e,ot())},Et.apply(e,arguments)}function Ta(){var e=0,t=.5,n=1,r=1,o,i,s,a,c,l=V,u,d=!1,m;function p(h){return isNaN(h=+h)?m:(h=.5+((h=+u(h))-i)*(r*h<r*i?a:c),l(d?Math.max(0,Math.min(1,h)):h))}p.domain=function(h){return arguments.length?([e,t,n]=h,o=u(e=+e),i=u(t=+t),s=u(n=+n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,p):[e,t,n]},p.clamp=function(h){return arguments.length?(d=!!h,p):d},p.interpolator=function(h){return arguments.length?(l=h,p):l};function g(h){return function(x){var y,v,C;return arguments.length?([y,v,C]=x,l=bo(h,[y,v,C]),p):[l(0),l(.5),l(1)]}}return p.range=g(oe),p.rangeRound=g(Le),p.unknown=function(h){return arguments.length?(m=h,p):m},function(h){return u=h,o=h(e),i=h(t),s=h(n),a=o===i?0:.5/(i-o),c=i===s?0:.5/(s-i),r=i<o?-1:1,p}}function it(){var e=rt(Ta()(V));return e.copy=function(){return Ln(e,it())},Et.apply(e,arguments)}var Ea={"<s>":"‹start›","</s>":"‹end›","∅":"‹empty slot›"};function R(e){return Ea[e]??To(e.replaceAll("▁","·"))}function To(e){return/[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(e)?e:Array.from(e,t=>`U+${t.codePointAt(0)?.toString(16).padStart(4,"0")}`).join(" ")||"‹empty›"}function B(e,t,n){let{spans:r}=t,o=Array.from(t.text),i=new Set(t.word_pieces.flat()),s=l=>!i.has(l)&&r[l][0]===r[l][1],a=t.pieces.map((l,u)=>({label:R(l),positions:[u],special:s(u),span:r[u]}));if(n==="pieces")return{name:e,text:o,units:a};let c=t.words.map((l,u)=>({label:To(o.slice(...l).join("")),positions:t.word_pieces[u],special:!1,span:l}));return{name:e,text:o,units:[...c,...a.filter((l,u)=>!i.has(u))]}}function Na(e,t,n){let r=B("target",e,t),o=n?["∅","<s>"]:["<s>"],i=r.units.flatMap(a=>{let c=a.positions.map(l=>l+o.length).filter(l=>l<e.pieces.length);return c.length?[{...a,positions:c}]:[]}),s=o.slice(0,e.pieces.length).map((a,c)=>({label:R(a),positions:[c],special:!0,span:null}));return{...r,name:"prefix",units:[...s,...i]}}function Ra(e){let t=Array.from({length:e.rows*e.columns},(n,r)=>({label:`row ${Math.floor(r/e.columns)+1}, column ${r%e.columns+1}`,positions:[r],special:!1,span:null}));return{name:"image",text:[],units:t}}function On(e,t,n){let{kind:r,blank_memory:o}=t,i=B("target",e.target,n);if(r==="self")return[i,Na(e.target,n,o)];if(e.source===null)throw new Error(`The record is damaged: it has ${r} attention but no source.`);let s=e.source.kind==="image"?Ra(e.source):B("source",e.source,n);return r==="encoder"?[s,s]:[i,s]}function Eo(e,t,n,r,o){let[i,s]=On(e,t,o),a=1+Math.max(...s.units.flatMap(m=>m.positions)),c=ie(e.numbers(t.weights),t.heads,n),l=c.length/a,u=new Float32Array(i.units.length*s.units.length);i.units.forEach((m,p)=>{let g=m.positions.map(h=>h+r).filter(h=>h<l);s.units.forEach((h,x)=>{let y=0;for(let v of g)for(let C of h.positions)y+=c[v*a+C];u[p*s.units.length+x]=y/g.length})});let d=s.units.length;return{rows:i,columns:s,weights:u,row:m=>u.subarray(m*d,(m+1)*d)}}function ie(e,t,n){let r=e.length/t;if(typeof n=="number")return e.subarray(n*r,(n+1)*r);let o=new Float32Array(r);for(let i=0;i<t;i++)for(let s=0;s<r;s++){let a=e[i*r+s];o[s]=n==="mean"?o[s]+a/t:Math.max(o[s],a)}return o}function st(e,t){return Math.max(0,e.units.findIndex(n=>n.positions.includes(t)))}function No(e,t){let n=t.length/e.length,r=new Array(n).fill(0);for(let o=0;o<e.length;o++)for(let i=0;i<n;i++)r[i]+=e[o]*t[o*n+i];return r}function Ca(e,t=1){let n=Array.from(e),r=Math.max(...n),o=n.map(s=>Math.exp((s-r)/t)),i=o.reduce((s,a)=>s+a,0);return o.map(s=>s/i)}function Pa(e,t=1){let n=Array.from(e,s=>s/t),r=[...n].sort((s,a)=>a-s),o=0,i=0;for(let s=1;s<=r.length&&(o+=r[s-1],1+s*r[s-1]>o);s++)i=(o-1)/s;return n.map(s=>Math.max(0,s-i))}function Ha(e){let t=N(e);return Array.from(e,(n,r)=>r===t?1:0)}function Ia(e){let t=Array.from(e,r=>r>Number.NEGATIVE_INFINITY?1:0),n=t.reduce((r,o)=>r+o,0);return t.map(r=>r/n)}var Dt=new Map([["softmax",Ca],["sparsemax",Pa],["hard",Ha],["uniform",Ia]]);function Ro(e,t,n,r){return Array.from(e,(o,i)=>r?r[i]*Math.tanh(o+t[i]):n*o*t[i])}function N(e){let t=0;for(let n=1;n<e.length;n++)e[n]>e[t]&&(t=n);return t}function se(e){return Array.from(e,(t,n)=>n).sort((t,n)=>e[n]-e[t])}function at(e){let t=0;for(let n=0;n<e.length;n++)e[n]>0&&(t-=e[n]*Math.log2(e[n]));return t}function Co(e,t){let n=0;for(let r=0;r<e.length;r++)n+=Math.abs(e[r]-t[r]);return n/2}function Po(e,t){return 2*[...e].filter(r=>t.has(r)).length/Math.max(1,e.size+t.size)}function Io(e,t){let r={...{view:t,record:0,attention:"",head:"mean",shift:0,userSelected:!1,units:"words",specialTokens:!0,row:0,column:-1,by:"row",stage:0,temperature:1,playing:!1,pace:2,sort:"layer",node:null,pruned:!1,intervention:0,grid:!1},...q(e[0])};return{...r,row:La(e[0],r)}}function La(e,t){let n=I(e,t.attention);if(n?.kind!=="cross"||e.source?.kind!=="text")return 0;let{rows:r,columns:o,row:i}=ze(e,n,t.head,t.shift,"words"),s=r.units.map(({label:l,special:u})=>u?0:Oa(l)),a=Math.min(4,Math.max(...s)),c=r.units.map((l,u)=>{if(!s[u]||s[u]<a)return-1;let d=N(i(u)),m=Math.abs(d/o.units.length-u/r.units.length);return o.units[d].special?0:i(u)[d]*m||0});return r.units[N(c)]?.positions[0]??0}function Oa(e){return e.match(/[\p{L}\p{N}]/gu)?.length??0}function q(e){let{alignment_head:t,head_trace:n,attentions:r}=e,o=r.filter(({kind:c})=>c==="cross").at(-1)??r.at(-1),i=t?.attention??n?.attention??o?.name??"",a=I(e,i)?.heads===1?0:(t??n)?.head??"mean";return{attention:i,head:a,shift:t?.shift??0,userSelected:!1}}function I(e,t){return e.attentions.find(n=>n.name===t)}function Ue({record:e,selection:t}){let n=I(e,t.attention);if(!n)return null;let r=n.kind==="cross"?t.shift:0;return ze(e,n,t.head,r,t.units)}function fe(e,t){let n=st(e.rows,t.row),r=t.column<0?N(e.row(n)):st(e.columns,t.column);return{row:n,column:r}}var Ho=new WeakMap;function ze(e,t,n,r,o){let i=Ho.get(e)??new Map;Ho.set(e,i);let s=`${t.name} ${n} ${r} ${o}`,a=i.get(s)??Eo(e,t,n,r,o);return i.set(s,a),a}var Lo="Attention weights do not explain why the model chose a word.",Ve={cross:"Cross-attention",self:"Decoder self-attention",encoder:"Encoder self-attention"},Un=["at output","at next input (shifted by one)"];function w(e){return f`<data class="number" data-value=${e} value=${e}>${T(e)}</data>`}function T(e){if(Number.isNaN(e))return"–";if(e===Number.NEGATIVE_INFINITY)return"−∞";let t=e.toFixed(3).replace("-","−");return t==="−0.000"?t.slice(1):t}function M(e){return f`<bdi class="token" dir="auto">${e}</bdi>`}function Be(e,{kind:t,layer:n,heads:r},{head:o,shift:i}){let s=new Set(e.attentions.filter(c=>c.kind===t).map(c=>c.layer)).size,a=[`layer ${n+1} of ${s}`];return r===1?a.push("one head"):typeof o=="number"?a.push(`head ${o+1} of ${r}`):a.push(`${o==="mean"?"mean":"maximum"} of ${r} heads`),t==="cross"&&a.push(Un[i]),`${Ve[t]}: ${a.join(", ")}`}function Oo(e,t){let n=e.alignment_head?.agreement,{attention:r,head:o,shift:i}=q(e),s=r===t.attention&&o===t.head&&i===t.shift;return n===void 0||!s?t.userSelected?"selected by you":"":n?f`the alignment head: its links agree best with a dictionary (F1 ${w(n)})`:"the alignment head of the model bundle"}function jt(e,t){let n=e.row(t),r=M(e.rows.units[t].label);if(Number.isNaN(n[0]))return f`${r} has no weights at this step: no input follows it.`;let o=a=>M(e.columns.units[a].label),[i,s]=se(n);return f`${r} attends most to ${o(i)} ${w(n[i])}${s===void 0||n[s]<.005?"":f`, then to ${o(s)} ${w(n[s])}`}`}function Gt(e,t){let n=e.rows.units.map((s,a)=>e.row(a)[t]||0),r=s=>M(e.rows.units[s].label),[o,i]=se(n);return f`${M(e.columns.units[t].label)} gets the highest weight from ${r(o)}
  ${w(n[o])}${i===void 0||n[i]<.005?"":f`, then from ${r(i)} ${w(n[i])}`}`}function Uo({selection:e,change:t},n,r){let{units:o,scores:i,weights:s,norms:a}=n,c=s.map((x,y)=>x*a[y]),l=Array.from(i??[]).filter(Number.isFinite),u=F().domain([Math.min(0,...l),Math.max(0,...l)]).range([0,100]),d=F().domain([0,Math.max(...c)||1]).range([0,100]),m=F().domain([0,Math.max(1,...s)]).range([0,100]),p=x=>t({column:x},`[data-position="${x}"]`),g=x=>{let y={ArrowDown:1,ArrowUp:-1}[x.key],v=y===void 0?-1:r+y;v<0||v>=o.length||(x.preventDefault(),p(v))},h=x=>e.stage===x?"current":"";return f`<div class="scroll tall"><table class="bars" data-testid="positions">
    <caption class="hidden">Score, weight and contribution of each position</caption>
    <colgroup><col class="name"></colgroup>
    <thead><tr><th scope="col"><span class="hidden">position</span></th>
      <th scope="col" class=${h(1)}>score</th><th scope="col" class=${h(2)}>weight</th>
      <th scope="col" class=${h(3)}>weight × ‖value‖</th></tr></thead>
    <tbody @keydown=${g}>
      ${o.map(({label:x,special:y},v)=>f`<tr class=${v===r?"here":""}>
          <th scope="row"><button data-position=${v} tabindex=${v===r?0:-1} title=${x}
            aria-pressed=${v===r} ?data-special=${y} @click=${()=>p(v)}><bdi dir="auto">${x}</bdi></button></th>
          <td class=${h(1)} data-testid="score">${i===null?"–":Ft(u(0),u(Number.isFinite(i[v])?i[v]:0),i[v])}</td>
          <td class=${h(2)} data-testid="weight">${Ft(0,m(s[v]),s[v])}</td>
          <td class=${h(3)} data-testid="contribution">${Ft(0,d(c[v]),c[v])}</td>
        </tr>`)}
    </tbody></table></div>`}function Kt(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.some(([s])=>s===n)?r:[...r,[n,o]];return f`<table class="bars outcome" data-testid="output">
    <caption class="hidden">The most likely pieces</caption>
    <colgroup><col class="name"></colgroup>
    <tbody>${i.map(([s,a])=>f`<tr class=${s===n?"target-row":""} data-piece=${s}>
        <th scope="row">${M(R(s))}${s===n?f` <span class="soft small">output</span>`:""}</th>
        <td data-testid="probability">${Ft(0,100*Math.exp(a),Math.exp(a))}</td></tr>`)}</tbody></table>`}function Ft(e,t,n){let[r,o]=e<t?[e,t]:[t,e];return f`<span class="bar"><i .style=${`margin-inline-start:${r}%;width:${o-r}%`}></i></span>${w(n)}`}var zo=S`
  .outcome { max-width: 44rem; }
  .tall { max-height: 34rem; }
  .bars { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: 0.875rem; }
  .bars thead th {
    text-align: start; font-weight: 500; color: var(--soft); padding: 0 0.5rem 0.25rem;
    position: sticky; top: 0; background: var(--paper); z-index: 1;
  }
  .bars thead .current {
    color: var(--accent); font-weight: 650; box-shadow: inset 0 -2px var(--accent);
  }
  .bars td { padding: 0.1rem 0.5rem; vertical-align: middle; }
  .bars tbody th {
    text-align: start; font-weight: 400; padding: 0.1rem 0.25rem 0.1rem 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .bars .name { width: 8.5rem; }
  .bars th button {
    border-color: transparent; padding: 0 0.35rem; min-height: 1.5rem; width: 100%;
    text-align: start; background: none; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; display: block;
  }
  .bars th button:focus-visible { outline-offset: -2px; }
  .bars tr.here button { border-color: var(--accent); background: var(--accent-soft); }
  .bars button[data-special] { color: var(--soft); }
  .bars td .number {
    font-size: 0.8125rem; float: inline-end; width: 3.4rem; text-align: end; line-height: 1.1rem;
  }
  .bar {
    display: inline-block; width: calc(100% - 3.6rem); height: 0.7rem; vertical-align: middle;
  }
  .bar i {
    display: block; height: 100%; min-width: 1px; background: var(--bar); border-radius: 2px;
    transition: width 0.35s ease, margin 0.35s ease;
  }
  .target-row .bar i { background: var(--mark); }
  @media (forced-colors: active) { .bar i { background: CanvasText; forced-color-adjust: none; } }
  @media (max-width: 36rem) { .bars .name { width: 6rem; } .bars td { padding-inline: 0.2rem; } }
`;function Ua(e){var t=0,n=e.children,r=n&&n.length;if(!r)t=1;else for(;--r>=0;)t+=n[r].value;e.value=t}function Vo(){return this.eachAfter(Ua)}function Bo(e,t){let n=-1;for(let r of this)e.call(t,r,++n,this);return this}function qo(e,t){for(var n=this,r=[n],o,i,s=-1;n=r.pop();)if(e.call(t,n,++s,this),o=n.children)for(i=o.length-1;i>=0;--i)r.push(o[i]);return this}function Do(e,t){for(var n=this,r=[n],o=[],i,s,a,c=-1;n=r.pop();)if(o.push(n),i=n.children)for(s=0,a=i.length;s<a;++s)r.push(i[s]);for(;n=o.pop();)e.call(t,n,++c,this);return this}function jo(e,t){let n=-1;for(let r of this)if(e.call(t,r,++n,this))return r}function Go(e){return this.eachAfter(function(t){for(var n=+e(t.data)||0,r=t.children,o=r&&r.length;--o>=0;)n+=r[o].value;t.value=n})}function Fo(e){return this.eachBefore(function(t){t.children&&t.children.sort(e)})}function Ko(e){for(var t=this,n=za(t,e),r=[t];t!==n;)t=t.parent,r.push(t);for(var o=r.length;e!==n;)r.splice(o,0,e),e=e.parent;return r}function za(e,t){if(e===t)return e;var n=e.ancestors(),r=t.ancestors(),o=null;for(e=n.pop(),t=r.pop();e===t;)o=e,e=n.pop(),t=r.pop();return o}function Yo(){for(var e=this,t=[e];e=e.parent;)t.push(e);return t}function Wo(){return Array.from(this)}function Xo(){var e=[];return this.eachBefore(function(t){t.children||e.push(t)}),e}function Qo(){var e=this,t=[];return e.each(function(n){n!==e&&t.push({source:n.parent,target:n})}),t}function*Zo(){var e=this,t,n=[e],r,o,i;do for(t=n.reverse(),n=[];e=t.pop();)if(yield e,r=e.children)for(o=0,i=r.length;o<i;++o)n.push(r[o]);while(n.length)}function qe(e,t){e instanceof Map?(e=[void 0,e],t===void 0&&(t=qa)):t===void 0&&(t=Ba);for(var n=new lt(e),r,o=[n],i,s,a,c;r=o.pop();)if((s=t(r.data))&&(c=(s=Array.from(s)).length))for(r.children=s,a=c-1;a>=0;--a)o.push(i=s[a]=new lt(s[a])),i.parent=r,i.depth=r.depth+1;return n.eachBefore(ja)}function Va(){return qe(this).eachBefore(Da)}function Ba(e){return e.children}function qa(e){return Array.isArray(e)?e[1]:null}function Da(e){e.data.value!==void 0&&(e.value=e.data.value),e.data=e.data.data}function ja(e){var t=0;do e.height=t;while((e=e.parent)&&e.height<++t)}function lt(e){this.data=e,this.depth=this.height=0,this.parent=null}lt.prototype=qe.prototype={constructor:lt,count:Vo,each:Bo,eachAfter:Do,eachBefore:qo,find:jo,sum:Go,sort:Fo,path:Ko,ancestors:Yo,descendants:Wo,leaves:Xo,links:Qo,copy:Va,[Symbol.iterator]:Zo};function ae(e){return f`<p class="placeholder" data-testid="placeholder">${e}</p>`}function Q(e){let t=e.summary===null?0:e.numbers(e.summary).length;return ae(f`<strong>${e.model.name}</strong> has no attention${t?f`. The decoder gets the source only as one vector of ${t} numbers, before its first
          word`:""}. The beam search and intervention views work if the record has their data.`)}var Ga=112,Fa=76,Ka=600,Ya=20,zn=34,Wa=24,De=-1;function Jo(e){let{record:t,selection:n,change:r}=e,{beam:o}=t;if(!o)return ae(f`This record has no beam search: the target was ${t.created.search==="given"?"given by the user":`found by ${t.created.search??"another search"}`}.`);let i=e.width<Ka?Fa:Ga,s=Xa(o,n.pruned,i+Ya),a=o.status.filter(u=>u==="pruned").length,c=o.best.at(-1)??De,l=s.some(({data:u})=>u.node===n.node)?n.node??c:c;return f`<div class="controls">
      <label class="inline"><input type="checkbox" data-testid="pruned" .checked=${n.pruned}
        @change=${()=>r({pruned:!n.pruned})}> show ${a} pruned candidates</label>
      <p class="note">Beam size ${o.beam_size}. Score = log-probability / length<sup>α</sup> with the length
        penalty α = ${o.length_penalty}, which keeps the search from preferring short outputs.</p>
    </div>
    ${el(e,o,l)} ${Qa(e,o,s,l,i)}
    <p class="legend small soft"><span><i class="node best key-node"></i> best path</span>
      <span><i class="node key-node"></i> kept</span>
      <span><i class="node finished key-node"></i> finished</span>
      ${n.pruned?f`<span><i class="node pruned key-node"></i> pruned</span>`:f`<span>+3: number of pruned candidates</span>`}</p>`}function Xa(e,t,n){let r=[De,...e.parents.keys()].map(l=>({node:l,children:[],hidden:0}));e.parents.forEach((l,u)=>{let d=r[l+1];e.status[u]==="pruned"&&!t?d.hidden++:d.children.push(r[u+1])});let o=new Set(e.best),i=({node:l})=>o.has(l)?Number.POSITIVE_INFINITY:e.totals[l];for(let{children:l}of r)l.sort((u,d)=>i(u)<i(d)?1:-1);let s=qe(r[0]),a=0,c=l=>{let u=a;l.children?.forEach(c),l.children||a++,Object.assign(l,{x:u*zn,y:l.depth*n})};return c(s),s.descendants()}function Qa(e,t,n,r,o){let i=Math.max(...n.map(p=>p.x))+zn,s=Math.max(...n.map(p=>p.y))+o+24,a=new Set([De,...t.best]),c=({data:p})=>a.has(p.node),l=p=>p.x+zn/2,u=n.filter(p=>p.parent).sort((p,g)=>Number(c(p))-Number(c(g))).map(p=>{let g=p.parent,[h,x,y,v]=[g.y+o,l(g),p.y,l(p)];return vr`<path class=${c(p)?"best":""} d=${`M${h} ${x}C${h+12} ${x} ${y-12} ${v} ${y} ${v}`} />`}),d=(p,g=!0)=>e.change({node:p},g?`[data-node="${p}"]`:void 0),m=p=>{let g=Za(p.key,n,r);g!==void 0&&(p.preventDefault(),d(g))};return f`<div class="scroll beam" data-testid="beam">
    <div .style=${`position:relative;width:${s}px;height:${i}px`}>
      <svg aria-hidden="true" width=${s} height=${i}>${u}</svg>
      <div role="tree" aria-label="beam search hypotheses" @keydown=${m}>
        ${n.map(p=>{let{node:g,hidden:h}=p.data,x=g===De,y=x?"kept":t.status[g],v=R(x?"<s>":t.pieces[g]),C=x?1:Math.exp(t.logps[g]);return f`<div role="treeitem" class="node ${y} ${c(p)?"best":""}" data-testid="node"
            data-node=${g} data-status=${y} data-best=${c(p)} tabindex=${g===r?0:-1}
            aria-selected=${g===r} aria-level=${p.depth+1} title=${v}
            @click=${()=>d(g)} .style=${`left:${p.y}px;top:${l(p)-Wa/2}px;width:${o}px`}>
            <bdi dir="auto">${v}</bdi>${x?b:f`<small>${w(C)}</small>`}
            ${h?f`<span class="pruned-count">+${h}<span class="hidden"> pruned</span></span>`:b}
            <span class="hidden">${x?"":y}${c(p)?", on the best path":""}</span></div>`})}
      </div>
    </div>
  </div>`}function Za(e,t,n){let r=t.find(({data:a})=>a.node===n);if(!r)return;let o=t.filter(({depth:a})=>a===r.depth).sort((a,c)=>a.x-c.x),i=o.indexOf(r);return{ArrowLeft:r.parent,ArrowRight:r.children?.[0],ArrowUp:o[i-1],ArrowDown:o[i+1],Home:t[0],End:t.reduce((a,c)=>c.depth>a.depth?c:a)}[e]?.data.node}var Ja={kept:"is extended at the next step",pruned:"is pruned: other candidates score higher",finished:"is a finished hypothesis"};function el(e,t,n){if(n===De)return f`<p class="summary" data-testid="summary">The start of the search, before the first piece.</p>`;let r=[];for(let l=n;l!==De;l=t.parents[l])r.unshift(l);let i=r.map(l=>t.pieces[l]).filter(l=>l!=="</s>").join("").replaceAll("▁"," ").trim()||"The empty output",s=t.best.indexOf(n),a=t.totals[n],c=()=>e.change({view:"trace",row:s,column:-1,stage:0},"#tab-trace");return f`<div class="detail" data-testid="detail">
    <p class="summary" data-testid="summary">${M(i)} ${Ja[t.status[n]]}.</p>
    <p class="note">log-probability of the last piece ${w(t.logps[n])}; total ${w(a)};
      score at length ${r.length}: ${w(a/r.length**t.length_penalty)}
      ${s>=0?f`<button data-testid="to-trace" @click=${c}>
              Show this step</button>`:b}</p>
  </div>`}var ei=S`
  .beam { max-height: 75vh; border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
  .beam svg { position: absolute; inset: 0; }
  .beam path { fill: none; stroke: var(--line); stroke-width: 1.5; }
  .beam path.best { stroke: var(--accent); stroke-width: 3; }
  .node {
    position: absolute; height: 24px; display: flex; gap: 0.3rem; align-items: center;
    padding: 0 0.4rem;
    border: 1px solid var(--line); border-radius: 5px; background: var(--paper);
    font-size: 0.8125rem; cursor: pointer;
  }
  .node bdi {
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; min-width: 0;
  }
  .node .number { font-weight: 400; }
  .node small { color: var(--soft); font-size: 0.6875rem; }
  .node.best { border-color: var(--accent); background: var(--accent-soft); }
  .node.best small { color: var(--ink); }
  .node.finished { border-radius: 12px; border-width: 2px; border-color: var(--soft); }
  .node.finished.best { border-color: var(--accent); }
  .node.pruned { border-style: dashed; color: var(--soft); }
  .node[aria-selected="true"] { box-shadow: 0 0 0 2px var(--accent); }
  .pruned-count {
    position: absolute; right: 2px; top: -11px; font-size: 10px; line-height: 10px;
    color: var(--soft);
  }
  .key-node { position: static; width: 1.5rem; height: 0.9rem; cursor: default; }
  .detail { display: grid; gap: 0.25rem; }
`;function ti(e){for(var t=e.length/6|0,n=new Array(t),r=0;r<t;)n[r]="#"+e.slice(r*6,++r*6);return n}var ni=e=>uo(e[e.length-1]);var ri=new Array(3).concat("998ec3f7f7f7f1a340","5e3c99b2abd2fdb863e66101","5e3c99b2abd2f7f7f7fdb863e66101","542788998ec3d8daebfee0b6f1a340b35806","542788998ec3d8daebf7f7f7fee0b6f1a340b35806","5427888073acb2abd2d8daebfee0b6fdb863e08214b35806","5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b35806","2d004b5427888073acb2abd2d8daebfee0b6fdb863e08214b358067f3b08","2d004b5427888073acb2abd2d8daebf7f7f7fee0b6fdb863e08214b358067f3b08").map(ti),Vn=ni(ri);function Bn(e){return e=Math.max(0,Math.min(1,e)),"rgb("+Math.max(0,Math.min(255,Math.round(-4.54-e*(35.34-e*(2381.73-e*(6402.7-e*(7024.72-e*2710.57)))))))+", "+Math.max(0,Math.min(255,Math.round(32.49+e*(170.73+e*(52.82-e*(131.46-e*(176.58-e*67.37)))))))+", "+Math.max(0,Math.min(255,Math.round(81.24+e*(442.36-e*(2482.43-e*(6167.24-e*(6614.94-e*2475.67)))))))+")"}var K=ot(Bn).clamp(!0),oi=matchMedia("(prefers-color-scheme: dark)"),tl=[F().domain([0,1]).range(["#ffffff","#00306f"]).clamp(!0),F().domain([0,1]).range(["#14181e","#f2dc4a"]).clamp(!0)];function qn(e){return tl[oi.matches?1:0](e)}function je(e){return oi.matches?F().domain([-(e||1),0,e||1]).range(["#f5a54a","#232a33","#b8a1f5"]).clamp(!0):it(t=>Vn(1-t)).domain([-(e||1),0,e||1]).clamp(!0)}function ct(e){return nl(Dn(e))>.179?"#000000":"#ffffff"}function Se(e){if(!(e>=.005))return"";let t=qn(e);return`background:${t};color:${e<.3?"var(--ink)":ct(t)}`}function Dn(e){let t=/^#(..)(..)(..)$/.exec(e);return t?t.slice(1).map(n=>Number.parseInt(n,16)):(e.match(/[\d.]+/g)??[]).slice(0,3).map(Number)}function nl(e){let[t,n,r]=e.map(o=>{let i=o/255;return i<=.04045?i/12.92:((i+.055)/1.055)**2.4});return .2126*t+.7152*n+.0722*r}var{I:Ud}=Sr;var ii=e=>e.strings===void 0;var si={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},jn=e=>(...t)=>({_$litDirective$:e,values:t}),Yt=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ut=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),ut(r,t);return!0},Wt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},ai=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),il(t)}};function rl(e){this._$AN!==void 0?(Wt(this),this._$AM=e,ai(this)):this._$AM=e}function ol(e,t=!1,n=0){let r=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(t)if(Array.isArray(r))for(let i=n;i<r.length;i++)ut(r[i],!1),Wt(r[i]);else r!=null&&(ut(r,!1),Wt(r));else ut(this,e)}var il=e=>{e.type==si.CHILD&&(e._$AP??=ol,e._$AQ??=rl)},Xt=class extends Yt{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),ai(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ut(this,t),Wt(this))}setValue(t){if(ii(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Gn=new WeakMap,li=jn(class extends Xt{render(e){return b}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),b}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Gn.get(t);n===void 0&&(n=new WeakMap,Gn.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Gn.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var dt=128;function ft(e){return li(t=>{t&&e(t)})}function le(e,t,n,r=1){return ft(o=>Fn(o,e,t,n,r))}function Fn(e,t,n,r,o){let i=n.length/t;e.width!==t&&(e.width=t),e.height!==i&&(e.height=i);let s=e.getContext("2d",{willReadFrequently:!0});if(!s||!t||!i)return;let a=sl(r,o),c=s.createImageData(t,i),l=new Uint32Array(c.data.buffer);for(let u=0;u<n.length;u++){if(Number.isNaN(n[u]))continue;let d=Math.max(-1,Math.min(1,n[u]/o));l[u]=a[Math.round(d*dt)+dt]}s.putImageData(c,0,0)}var ci=new WeakMap;function sl(e,t){let n=ci.get(e);if(n)return n;let r=Uint32Array.from({length:2*dt+1},(o,i)=>{let[s,a,c]=Dn(e((i-dt)/dt*t));return 255<<24|c<<16|a<<8|s});return ci.set(e,r),r}function U(e){let{axis:t,side:n,current:r}=e,o=u=>`[data-side="${n}"][data-unit="${u}"]`,i=u=>{let d=u.target.dataset?.unit;d!==void 0&&!(e.selected&&Number(d)===r)&&e.select?.(Number(d))},s=u=>{let d=ll(u.key,r,t.units.length-1,Qt(t)==="rtl");d!==null&&(u.preventDefault(),e.select?.(d,o(d)))},a=u=>f`<span class="word" data-testid="word" data-side=${n}
    data-unit=${u} data-value="" ?data-special=${t.units[u].special}
    .style=${e.style(u)}>${t.units[u].label}</span>`,c=u=>f`<span role="button" class="word" data-testid="word"
    data-side=${n} data-unit=${u} data-value=${e.value(u)??""}
    ?data-special=${t.units[u].special} tabindex=${u===Math.max(0,r)?0:-1}
    aria-pressed=${e.selected&&u===r} aria-label=${e.label(u)}
    dir=${e.pieces?"auto":b} .style=${e.style(u)}>${t.units[u].label}</span>`,l=e.select?c:a;return f`<div class="sentence">
    <p class="small soft" aria-hidden="true">${e.name}</p>
    <p class="text ${e.pieces?"pieces":""}" role="group" aria-label=${e.name} data-side=${n}
      dir=${Qt(t)} @pointerover=${e.hover?i:b} @focusin=${i} @keydown=${s}
      >${e.pieces?t.units.map((u,d)=>l(d)):al(t,l)}</p>
  </div>`}function al(e,t){let n=[],r=0;return e.units.forEach(({span:o,special:i},s)=>{i||!o?n.push(s?" ":"",t(s),s?"":" "):(n.push(e.text.slice(r,o[0]).join(""),t(s)),r=o[1])}),n}function ll(e,t,n,r){if(e==="Home")return 0;if(e==="End")return n;let o={ArrowRight:1,ArrowLeft:-1,ArrowDown:1,ArrowUp:-1}[e];return o===void 0?null:Math.max(0,Math.min(n,t+((e==="ArrowRight"||e==="ArrowLeft")&&r?-o:o)))}function Qt(e){let t=e.text.find(n=>/\p{L}/u.test(n))??"";return/[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u.test(t)?"rtl":"ltr"}var ui=S`
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
`;function ce(e,t){let n=0;for(let o=0;o<e.length;o++)n=Math.max(n,Math.abs(e[o]));let r=`${t}: ${e.length} numbers between ${T(-n)} and ${T(n)}`;return f`<figure class="vector" data-testid="vector" data-values=${Array.from(e).join(" ")}>
    <canvas class="strip" role="img" aria-label=${r}
      ${le(e.length,e,je(n),n)}></canvas>
    <figcaption class="small soft">${t}: ${e.length} numbers, orange is negative, purple
      positive; largest ±${w(n)}</figcaption>
  </figure>`}function di(e){let{records:t,selection:n,change:r}=e,[o]=t;if(o.source?.kind!=="text")return ae("The comparison needs a source text, which these records do not have.");let{source:i}=o,s=B("source",i,"words"),a=Zt(o),c=a?fe(a,n).column:st(s,n.column);return f`${U({axis:s,side:"columns",name:"source",pieces:!1,hover:!0,current:c,selected:!0,value:()=>null,style:()=>"",label:l=>s.units[l].label,select:(l,u)=>r({by:"column",column:s.units[l].positions[0]??0},u)})}
    <div class="models">${t.map(l=>cl(l,i,c))}</div>
    ${fl(t)}`}function Zt(e){let{attention:t,head:n,shift:r}=q(e),o=I(e,t);return o?.kind==="cross"?ze(e,o,n,r,"words"):null}function cl(e,t,n){let r=Zt(e),o=e.source?.kind==="text"&&e.source.text===t.text;return f`<article data-testid="model-card" data-model=${e.model.name}>
    <h3>${e.model.name}</h3>
    <p class="small soft">${e.model.description}</p>
    ${o?r?ul(e,r,n):dl(e):f`<p class="note">This model has another source.</p>`}
  </article>`}function ul(e,t,n){let r=q(e),o=I(e,r.attention),i=t.columns.units.length,s=Math.min(n,i-1);return f`<p class="target" dir=${Qt(t.rows)}>${t.rows.units.map((a,c)=>{let l=t.row(c)[s];return f`<span class="word" data-testid="compared" data-value=${l} ?data-special=${a.special}
      title=${T(l)} .style=${Se(l)}>${a.label}</span> `})}</p>
  <p data-testid="summary">${Gt(t,s)}.</p>
  <div class="mini" aria-hidden="true">
    <canvas ${le(i,t.weights,K)}></canvas>
    <i .style=${`left:${100*s/i}%;width:${100/i}%`}></i>
  </div>
  <p class="note">Rows are target words, columns source words.
    ${o?Be(e,o,r):b}.</p>`}function dl(e){let t=e.summary===null?null:e.numbers(e.summary);return f`<p class="target" dir="auto">${e.target.text}</p>
    ${t?ce(t,"source vector"):b}
    <p data-testid="summary">This model has no attention: its decoder gets the source as
      ${t?f`one vector of ${t.length} numbers`:"its initial state"}.</p>`}function fl(e){let t=e.flatMap((n,r)=>e.slice(r+1).map(o=>[n,o]));for(let[n,r]of t){let[o,i]=[Zt(n),Zt(r)];if(!o||!i||n.target.text!==r.target.text||o.weights.length!==i.weights.length)continue;let s=o.weights.map((l,u)=>l-i.weights[u]),a=o.rows.units.length,c=o.columns.units.length;return f`<section class="difference" data-testid="difference"><h3>Difference of weights</h3>
      <p class="note">Both have the same target. Purple: ${n.model.name} has more weight; orange:
        ${r.model.name}.</p>
      <canvas role="img" aria-label=${`difference of weights, ${a} rows, ${c} columns`}
        .style=${`width:${Math.min(560,c*24)}px;height:auto`}
        ${le(c,s,je(1))}></canvas>
    </section>`}return f`<p class="note">No two models have the same target, so there is no difference of weights.</p>`}var fi=S`
  .models {
    display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
    gap: 1rem;
  }
  article {
    border: 1px solid var(--line); border-radius: 8px; padding: 1rem; display: grid; gap: 0.75rem;
    align-content: start; min-width: 0;
  }
  article h3 { overflow-wrap: anywhere; }
  .target { font-size: 1.2rem; line-height: 1.65; overflow-wrap: anywhere; }
  .mini { position: relative; max-width: 16rem; overflow: clip; overflow-clip-margin: 2px; }
  .mini canvas { width: 100%; height: auto; border-radius: 3px; }
  .mini i { position: absolute; top: 0; bottom: 0; box-shadow: 0 0 0 1px #fff, 0 0 0 2px #000; }
  .difference { display: grid; gap: 0.5rem; justify-items: start; }
`;var Jt=6,mi=P`<munder><mo>∑</mo><mi>d</mi></munder>`,pi=P`<msub><mi>q</mi><mi>d</mi></msub>`,hi=P`<msub><mi>k</mi><mrow><mi>s</mi><mi>d</mi></mrow></msub>`,Kn=P`<msub><mi>e</mi><mi>s</mi></msub>`,ml=P`<msub><mi>e</mi><mi>j</mi></msub>`,pl=P`<msub><mi>α</mi><mi>s</mi></msub>`,hl=P`<mrow><mo>(</mo><mi>s</mi><mo>−</mo><mi>p</mi><mo>)</mo></mrow>`,gl=P`<mi>D</mi>`,gi=e=>P`<msup>${e}<mn>2</mn></msup>`;function bi(e){let t=e?P`${mi}<msub><mi>v</mi><mi>d</mi></msub><mi>tanh</mi><mo>(</mo>${pi}<mo>+</mo>${hi}<mo>)</mo>`:P`<mi>c</mi>${mi}${pi}<mo>⁢</mo>${hi}`;return f`<math display="block"><mrow>${Kn}<mo>=</mo>${t}</mrow></math>`}function xi(e,t){let n=s=>P`<mrow><mi>exp</mi><mo>(</mo>${s}<mo>/</mo><mi>τ</mi><mo>)</mo></mrow>`,o={hard:P`<mn>1</mn><mtext> at the highest score, </mtext><mn>0</mn><mtext> elsewhere</mtext>`,sparsemax:P`<mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo>${Kn}<mo>/</mo><mi>τ</mi><mo>−</mo><mi>θ</mi><mo>)</mo>`,uniform:P`<mfrac><mn>1</mn><mi>n</mi></mfrac>`,softmax:P`<mfrac>${n(Kn)}<mrow><munder><mo>∑</mo><mi>j</mi></munder>${n(ml)}</mrow></mfrac>`}[e.name];if(!o)return f`<p class="note">${e.formula} <br><cite>${e.reference}</cite></p>`;let i=t?P`<mo>·</mo><mi>exp</mi><mo>(</mo><mo>−</mo><mn>2</mn>${gi(hl)}<mo>/</mo>${gi(gl)}<mo>)</mo>`:"";return f`<math display="block"><mrow>${pl}<mo>=</mo>${o}${i}</mrow></math>`}function wi(e,t){let{detail:n,units:r,scores:o}=e;if(!n?.terms||!o)return f``;let{query:i,keys:s,scale:a,energy:c}=n.terms,l=i.length,u=s.subarray(t*l,(t+1)*l),d=Ro(i,u,a,c),m=se(d.map(Math.abs)),p=m.slice(Jt).reduce((x,y)=>x+d[y],0),g=d.reduce((x,y)=>x+y,0),h=c?f`v<sub>d</sub> · tanh(q<sub>d</sub> + k<sub>d</sub>)`:f`c · q<sub>d</sub> · k<sub>d</sub>`;return f`<table class="terms" data-testid="summands" data-source=${t}>
    <caption>The score of ${M(r[t].label)}: ${w(o[t])}${c?"":f`, with c = ${w(a)}`}</caption>
    <thead><tr><th scope="col">dimension d</th><th scope="col">q<sub>d</sub></th><th scope="col">k<sub>d</sub></th>
      ${c?f`<th scope="col">v<sub>d</sub></th>`:""}<th scope="col">${h}</th></tr></thead>
    <tbody>
      ${m.slice(0,Jt).map(x=>f`<tr><th scope="row">${x+1}</th><td>${w(i[x])}</td><td>${w(u[x])}</td>
          ${c?f`<td>${w(c[x])}</td>`:""}<td>${w(d[x])}</td></tr>`)}
      ${l>Jt?f`<tr><th scope="row" colspan=${c?4:3}>the other ${l-Jt} dimensions</th>
              <td data-testid="rest">${w(p)}</td></tr>`:""}
      <tr class="total"><th scope="row" colspan=${c?4:3}>sum</th>
        <td data-testid="score-sum">${w(g)}</td></tr>
    </tbody>
  </table>
  ${o[t]===Number.NEGATIVE_INFINITY?f`<p class="note">The span masks this position, so this sum is not used.</p>`:Math.abs(g-o[t])>.005?f`<p class="note">The model’s score is ${w(o[t])}.</p>`:""}`}var yi=S`
  math {
    font-size: 1.15rem; text-align: start; margin: 0.25rem 0; overflow-x: auto; overflow-y: hidden;
  }
  .terms { border-collapse: collapse; font-size: 0.875rem; max-width: 100%; }
  .terms caption { text-align: start; padding-bottom: 0.3rem; color: var(--ink); }
  .terms th, .terms td {
    text-align: end; padding: 0.12rem 0.5rem; border-top: 1px solid var(--line); font-weight: 400;
  }
  .terms th { color: var(--soft); }
  .terms thead th { border: 0; }
  .terms .total > * { color: var(--ink); font-weight: 650; border-top: 2px solid var(--line); }
`;var Yn=128,Wn=56,bl=15,xl=44;function $i(e,t){let n=a=>a.flatMap((c,l)=>c.special&&!e.selection.specialTokens?[]:[l]),r=n(t.rows.units),o=n(t.columns.units),i=Math.floor((e.width-Yn-Wn)/Math.max(1,o.length)),s=Math.max(bl,Math.min(xl,i));return{chart:t,rows:r,columns:o,cell:s,at:(a,c)=>t.row(r[a])[o[c]]}}function en(e,{chart:t,rows:n,columns:r}){let{row:o,column:i}=fe(t,e.selection);return[Math.max(0,n.indexOf(o)),Math.max(0,r.indexOf(i))]}function Xn(e,t,n,r){let{record:o}=e;if(I(o,e.selection.attention)?.kind!=="cross"||o.source?.kind!=="text")return b;let{source:s,target:a}={source:o.source,target:o.target},{chart:c,cell:l}=t,u=(d,m,p)=>{let g=d.flatMap((h,x)=>m[h].positions.some(y=>p.includes(y))?[x]:[]);return[g[0],g.length]};return n.map(([d,m])=>{let[p,g]=u(t.columns,c.columns.units,s.word_pieces[d]),[h,x]=u(t.rows,c.rows.units,a.word_pieces[m]);if(!g||!x)return b;let y=`left:${p*l}px;top:${h*l}px`,v=`width:${g*l}px;height:${x*l}px`;return f`<i class=${r} data-testid=${r} data-link=${`${d}-${m}`}
      .style=${`${y};${v}`}></i>`})}var vi=S`
  .gold { box-shadow: inset 0 0 0 1px #000, inset 0 0 0 3px #ff9d3b, inset 0 0 0 4px #000; }
  .link::after {
    content: ""; position: absolute; top: 3px; right: 3px; width: 6px; height: 6px;
    border-radius: 50%;
    background: #fff; border: 1px solid #000;
  }
  .key {
    position: relative; width: 1.1rem; height: 1.1rem; background: #40516f; border-radius: 2px;
  }
  .key i { position: absolute; inset: 0; }
`;var wl=120,Ai=36,yl=2500;function ki(e,t){let{chart:n,rows:r,columns:o,cell:i,at:s}=t,[a,c]=en(e,t),l=r.flatMap(($,A)=>o.map((_,E)=>s(A,E))),u=o.map(($,A)=>r.reduce((_,E,D)=>_+(s(D,A)||0),0)),d=r.length*o.length<=yl,m=($,A,_=!0)=>{let E={row:n.rows.units[r[$]].positions[0]??0,column:n.columns.units[o[A]].positions[0]??0};e.change(E,_?`[data-row="${$}"][data-column="${A}"]`:void 0)},p=$=>{let A=vl($,a,c,t);A&&($.preventDefault(),m(...A))},g=$=>{let A=$.currentTarget.getBoundingClientRect(),_=Math.floor(($.clientX-A.left)/i),E=Math.floor(($.clientY-A.top)/i);E>=0&&_>=0&&E<r.length&&_<o.length&&(E!==a||_!==c)&&m(E,_,$.type==="click")},h=($,A)=>{let _=s($,A),E=i>=Ai&&_>=.005?T(_):"";return f`<span role="gridcell" data-testid="cell" data-row=${$} data-column=${A}
      data-value=${_} aria-colindex=${A+2} tabindex=${$===a&&A===c?0:-1}
      aria-label=${$l(t,$,A)} .style=${E?`color:${ct(K(_))}`:""}
      >${E}</span>`},x=o.map(($,A)=>{let{label:_,special:E}=n.columns.units[$];return f`<span role="columnheader" class="top ${A===c?"here":""}"
      aria-colindex=${A+2} title=${_} ?data-special=${E}><bdi dir="auto">${_}</bdi></span>`}),y=r.map(($,A)=>{let{label:_,special:E}=n.rows.units[$],D=o.reduce((Ge,k,J)=>Ge+s(A,J),0);return f`<div role="row" class="line" aria-rowindex=${A+2}>
      <span role="rowheader" class="side ${A===a?"here":""}" aria-colindex="1" title=${_}
        ?data-special=${E}><bdi dir="auto">${_}</bdi></span>
      ${d||A===a?o.map((Ge,k)=>h(A,k)):f`<span role="presentation" .style=${`grid-column:span ${o.length}`}></span>`}
      <span role="gridcell" class="sum" data-testid="row-sum" data-value=${D}
        aria-colindex=${o.length+2} aria-label=${`sum ${T(D)}`}>${T(D)}</span>
    </div>`}),v=Math.max(...o.map($=>n.columns.units[$].label.length),4),Y=`${`--head:${Math.min(wl,20+9*v)}px;--cell:${i}px;--label:${Yn}px;--sum:${Wn}px`};--columns:${o.length}`;return f`<div class="scroll matrix ${d?"":"boxed"}" .style=${Y} data-testid="matrix">
    <div class="sheet">
      <div class="cells" aria-hidden="true" @pointermove=${g} @click=${g}>
        <canvas data-testid="cells" ${le(o.length,l,K)}></canvas>
        ${Xn(e,t,e.record.links,"link")}
        ${Xn(e,t,e.record.gold??[],"gold")}
        <i class="cursor" .style=${`left:${c*i}px;top:${a*i}px`}></i>
      </div>
      <div role="grid" aria-label="attention weights"
        aria-rowcount=${r.length+2} aria-colcount=${o.length+2} @keydown=${p}>
        <div role="row" class="line heads" aria-rowindex="1">
          <span role="columnheader" class="corner" aria-colindex="1">
            <span>${n.rows.name} ↓</span> <span>${n.columns.name} →</span></span>
          ${x}
          <span role="columnheader" class="sum" aria-colindex=${o.length+2}>sum</span>
        </div>
        ${y}
        <div role="row" class="line foot" aria-rowindex=${r.length+2}>
          <span role="rowheader" class="side" aria-colindex="1" 
            title="sum of each column">coverage</span>
          ${u.map(($,A)=>f`<span role="gridcell" data-testid="coverage" data-value=${$}
              aria-colindex=${A+2} aria-label=${`coverage ${T($)}`} title=${T($)}
              ><i .style=${`height:${1.5*$/Math.max(...u,1)}rem`}></i
              ><b>${i>=Ai?T($):""}</b></span>`)}
          <span role="gridcell" aria-label="no sum"></span>
        </div>
      </div>
    </div>
  </div>`}function $l({chart:e,rows:t,columns:n,at:r},o,i){let s=r(o,i),a=n.filter((d,m)=>r(o,m)>s).length,c=a?`number ${a+1}`:"highest",[l,u]=[e.rows,e.columns];return`${l.name} ${l.units[t[o]].label} ← ${u.name} ${u.units[n[i]].label} ${T(s)}, ${Number.isNaN(s)?"no weights":c} of ${n.length}`}function vl(e,t,n,r){let{rows:o,columns:i,at:s}=r,c={ArrowRight:[t,n+1],ArrowLeft:[t,n-1],ArrowDown:[t+1,n],ArrowUp:[t-1,n],Home:[e.ctrlKey?0:t,0],End:[e.ctrlKey?o.length-1:t,i.length-1],PageUp:[t,N(i.map((u,d)=>s(t,d)))],PageDown:[N(o.map((u,d)=>s(d,n))),n]}[e.key];return c?.[0]>=0&&c[1]>=0&&c[0]<o.length&&c[1]<i.length?c:null}var Si=S`
  .boxed { max-height: min(80vh, 60rem); }
  .sheet { position: relative; width: max-content; padding-bottom: 2px; }
  .line {
    display: grid;
    grid-template-columns: var(--label) repeat(var(--columns), var(--cell)) var(--sum);
    height: var(--cell);
  }
  .line > * { min-width: 0; overflow: hidden; position: relative; }
  .line > [data-row] {
    display: grid; place-items: center; font-size: 0.72rem; line-height: 1; pointer-events: none;
    scroll-margin: var(--head) var(--sum) 0 var(--label);
  }
  .line > [data-row]:focus-visible { outline-offset: -2px; outline-color: #fff; }
  .heads { height: var(--head); position: sticky; top: 0; z-index: 3; background: var(--paper); }
  .top {
    writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
    display: flex; align-items: center; padding: 0.35rem 0;
    font-size: min(0.875rem, calc(var(--cell) * 0.75));
    line-height: 1;
  }
  .top bdi, .side bdi {
    line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    max-height: 100%;
  }
  .side {
    display: flex; align-items: center; justify-content: end; padding-inline: 0.25rem 0.6rem;
    position: sticky !important;
    left: 0; z-index: 2; background: var(--paper);
    font-size: min(0.875rem, calc(var(--cell) * 0.75)); line-height: 1.2;
  }
  .line .here { font-weight: 700; color: var(--accent); }
  .line [data-special] { color: var(--soft); font-size: min(0.75rem, calc(var(--cell) * 0.7)); }
  .corner {
    display: flex; flex-direction: column; justify-content: end; align-items: end;
    padding: 0.35rem 0.6rem;
    font-size: 0.75rem; color: var(--soft); position: sticky !important; left: 0; z-index: 4;
    background: var(--paper);
  }
  .sum {
    display: flex; align-items: end; padding-inline-start: 0.6rem;
    font-size: min(0.75rem, calc(var(--cell) * 0.8)); color: var(--soft); line-height: 1.2;
  }
  .line:not(.heads) .sum { align-items: center; }
  .foot { height: 3.2rem; padding-top: 2px; }
  .foot .side { font-size: 0.75rem; color: var(--soft); align-items: start; line-height: 1.5rem; }
  .foot [role="gridcell"] {
    display: flex; flex-direction: column; align-items: center; justify-content: space-between;
  }
  .foot i { width: 70%; max-height: 1.5rem; background: var(--line); border-radius: 0 0 2px 2px; }
  .foot b { font-size: 0.72rem; font-weight: 500; color: var(--soft); line-height: 1.4; }
  .cells {
    position: absolute; left: var(--label); top: var(--head); z-index: 0; overflow: hidden;
    width: calc(var(--columns) * var(--cell)); border-radius: 3px;
  }
  .cells canvas { width: 100%; height: auto; }
  .cells::after {
    content: ""; position: absolute; inset: 0; pointer-events: none; opacity: 0.12;
    background: linear-gradient(#fff 1px, transparent 1px) 0 -1px / 100% var(--cell),
      linear-gradient(90deg, #fff 1px, transparent 1px) -1px 0 / var(--cell) 100%;
  }
  .cells i { position: absolute; pointer-events: none; }
  .cells .cursor {
    width: var(--cell); height: var(--cell); box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 3px #000;
  }
`;var Mi="At output: the weights of the step that predicts the word. At next input: the weights of the next step, whose input is the word.";function Me(e,t=b){let{record:n,selection:r,change:o}=e,i=I(n,r.attention),s=a=>o({...a,userSelected:!0});return f`<div class="controls">
    <label>attention layer
      <select data-testid="attention" @change=${a=>s(kl(e,Qn(a)))}>
        ${Object.entries(Ve).map(([a,c])=>{let l=n.attentions.filter(u=>u.kind===a);return l.length?f`<optgroup label=${c}>
                ${l.map(u=>f`<option value=${u.name} ?selected=${u.name===r.attention}>
                    ${c}, layer ${u.layer+1}</option>`)}</optgroup>`:b})}
      </select>
    </label>
    <label>head
      <select data-testid="head" @change=${a=>s({head:Sl(Qn(a))})}>
        ${tn(i).map(a=>f`<option value=${a} ?selected=${a===r.head}>
            ${typeof a=="number"?a+1:a}</option>`)}
      </select>
    </label>
    ${i?.kind==="cross"?f`<label title=${Mi}>alignment step
            <select data-testid="shift"
              @change=${a=>s({shift:Number(Qn(a))})}>
              ${Un.map((a,c)=>f`<option value=${c} ?selected=${c===r.shift}>
                  ${a}</option>`)}
            </select>
          </label>`:b}
    ${Al(e)} ${t}
    ${r.userSelected?f`<button data-testid="reset" @click=${()=>o(q(n),'[data-testid="attention"]')}>
            Back to the default</button>`:b}
  </div>`}function Al({selection:e,change:t}){let n=r=>f`<button data-testid=${r}
    aria-pressed=${e.units===r} @click=${()=>t({units:r})}>${r}</button>`;return f`<div class="field" role="group" aria-label="words or pieces">
    <span aria-hidden="true">units</span>
    <span class="pair">${n("words")}${n("pieces")}</span>
  </div>`}function me({record:e,selection:t}){let n=I(e,t.attention);if(!n)return f``;let r=Oo(e,t);return f`<p class="note" data-testid="caption">
    <strong>${Be(e,n,t)}</strong>${r?f`; ${r}`:b}.
    ${n.kind==="cross"?Mi:b} ${Lo}
  </p>`}function kl({record:e,selection:t},n){let r=tn(I(e,n));return{attention:n,head:r.includes(t.head)?t.head:r[0]}}function tn(e){let t=[...Array(e?.heads??0).keys()];return t.length>1?[...t,"mean","max"]:t}function Sl(e){return e==="mean"||e==="max"?e:Number(e)}function Qn(e){return e.target.value}var Ml={id:"entropy",title:"entropy",explain:"in bits; 0 if every word attends to one position only",ascending:!0,of:(e,t,n)=>Ti(e,t,n,r=>at(r))},_l={id:"diagonality",title:"diagonality",explain:"1 if every word attends to the same relative position in the other text",ascending:!1,of:(e,t,n)=>Ti(e,t,n,(r,o)=>{let i=0;for(let s=0;s<r.length;s++)i+=r[s]*Math.abs(s/Math.max(1,r.length-1)-o);return 1-i})},Tl={id:"agreement",title:"agreement with the alignment head",explain:"F1 of its links with those of the alignment head; 1 if they are the same",ascending:!1,of:(e,t,n,r)=>Ei(e,t,n,r,e.links)},El={id:"error",title:"alignment error (AER)",explain:"against the gold links; 0 if they are the same",ascending:!0,of:(e,t,n,r)=>{let o=Ei(e,t,n,r,e.gold??[]);return o===void 0?void 0:1-o}};function _i(e){return[Ml,_l,...e.links.length?[Tl]:[],...e.gold?[El]:[]]}function Ti(e,t,n,r){let o=ie(e.numbers(t.weights),t.heads,n),i=Zn(e,t),s=o.length/i,a=0;for(let c=0;c<s;c++)a+=r(o.subarray(c*i,(c+1)*i),c/Math.max(1,s-1));return a/s}function Zn(e,t){return e.numbers(t.norms).length/t.heads}function Ei(e,t,n,r,o){if(t.kind!=="cross"||e.source?.kind!=="text")return;let i=ze(e,t,n,r,"words"),s=new Set;return i.rows.units.forEach((a,c)=>{let l=N(i.row(c));!a.special&&i.columns.units[l]&&!i.columns.units[l].special&&s.add(`${l}-${c}`)}),Po(s,new Set(o.map(([a,c])=>`${a}-${c}`)))}function Ri(e){let{record:t,selection:n,change:r}=e;if(!t.attentions.length)return Q(t);let o=_i(t),i=o.find(({id:s})=>s===n.sort);return f`<div class="controls">
      <label>sort by <select data-testid="sort"
        @change=${s=>r({sort:s.target.value})}>
        <option value="layer" ?selected=${!i}>layer and head</option>
        ${o.map(s=>f`<option value=${s.id} ?selected=${s===i}>${s.title}</option>`)}
      </select></label>
      ${i?f`<p class="note">${i.title}, ${i.explain}</p>`:b}
    </div>
    ${Object.keys(Ve).map(s=>Nl(e,s,i))}
    <div class="controls">
      ${[t.source?.kind==="image"?["image","Show on the image"]:["text","Show in the text"],["matrix","Show as a matrix"],["trace","Show step by step"]].map(([s,a])=>f`<button @click=${()=>r({view:s},`#tab-${s}`)}>${a}</button>`)}
    </div>
    ${me(e)}`}function Nl(e,t,n){let{record:r,selection:o}=e,i=r.attentions.filter(u=>u.kind===t),s=Ve[t];if(!i.length)return b;let a=u=>tn(u).map(d=>({attention:u,head:d,value:n?.of(r,u,d,o.shift)})),c=(u,d)=>f`<div class="tiles">${d}${u.map(m=>Rl(e,m,n))}</div>`,l=(u,d)=>((u.value??Number.POSITIVE_INFINITY)-(d.value??Number.POSITIVE_INFINITY))*(n?.ascending?1:-1);return f`<section class="kind" aria-label=${s}><h3>${s}</h3>
    ${n?c(i.flatMap(a).sort(l),b):i.map(u=>c(a(u),f`<span class="layer small soft">layer ${u.layer+1}</span>`))}
  </section>`}function Rl(e,{attention:t,head:n,value:r},o){let{record:i,selection:s,change:a}=e,c=typeof n=="number"?`${n+1}`:n,l=o?f`<span class="hidden">layer and head </span>${t.layer+1} · ${c}`:f`<span class="hidden">layer ${t.layer+1}, </span>${typeof n=="number"?"head ":""}${c}`;return f`<button class="tile" data-testid="tile" data-attention=${t.name} data-head=${n}
    aria-pressed=${s.attention===t.name&&s.head===n}
    @click=${()=>a({attention:t.name,head:n,userSelected:!0})}>
    <canvas ${ft(u=>Cl(u,i,t,n))}></canvas>
    <span class="small">${l}</span>
    ${r===void 0?b:f`<span class="small">${w(r)}</span>`}
  </button>`}var Ni=new WeakMap;function Cl(e,t,n,r){let o=`${t.model.sha256} ${t.target.text} ${n.name} ${r}`;if(Ni.get(e)===o)return;Ni.set(e,o);let i=ie(t.numbers(n.weights),n.heads,r);Fn(e,Zn(t,n),i,K,1)}var Ci=S`
  .kind { display: grid; gap: 0.75rem; }
  .tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
  .layer { width: 4.5rem; }
  .tile {
    display: grid; gap: 0.15rem; padding: 0.4rem; justify-items: center; border-color: transparent;
  }
  .tile canvas { width: 5rem; height: 5rem; border-radius: 3px; }
  .tile[aria-pressed="true"] { font-weight: 650; }
  @media (max-width: 36rem) { .layer { width: 100%; } .tile canvas { width: 4rem; height: 4rem; } }
`;var Pl=.05,Hl=.78;function Hi(e){let{record:t,selection:n,change:r}=e,o=t.source,i=Ue(e);if(!i)return Q(t);if(I(t,n.attention)?.kind!=="cross")return f`${Me(e)} ${ae("Select a cross-attention layer to see weights on the image.")}`;let{row:s}=fe(i,n),a=(l,u)=>r({by:"row",row:i.rows.units[l].positions[0]??0,column:-1},u),c=f`<label class="inline"><input type="checkbox" data-testid="grid" .checked=${n.grid}
    @change=${()=>r({grid:!n.grid})}> grid of weights</label>`;return f`${Me(e,c)}
    <div class="captioned">
      ${Pi(o,i.row(s),n.grid)}
      <div class="beside">
        ${U({axis:i.rows,side:"rows",name:"target",pieces:n.units==="pieces",hover:!0,current:s,selected:!0,value:()=>null,style:()=>"",label:l=>i.rows.units[l].label,select:a})}
        ${Ll(i,s)} ${Ol(i)} ${me(e)}
      </div>
    </div>
    <div class="film" role="group" aria-label="all words">
      ${i.rows.units.map((l,u)=>f`<button class="frame" data-testid="frame" aria-pressed=${u===s} @click=${()=>a(u)}>
          ${Pi(o,i.row(u),!1)}<span><bdi dir="auto">${l.label}</bdi></span>
          <span class="small soft">${w(at(i.row(u)))} bits</span></button>`)}
    </div>`}function Pi(e,t,n){let r=t[N(t)],{rows:o,columns:i}=e,s=`aspect-ratio:${e.width}/${e.height}`,a=e.image.startsWith("data:image/")?e.image:"";return f`<figure class="lit" .style=${s}><img src=${a} alt="source image">
    <canvas aria-hidden="true" ${ft(c=>Il(c,i,t,r))}></canvas>
    ${n?f`<div class="regions" .style=${`grid-template:repeat(${o},1fr)/repeat(${i},1fr)`}>
            ${Array.from(t,c=>f`<span data-testid="region" data-value=${c}>${T(c)}</span>`)}</div>`:b}</figure>`}function Il(e,t,n,r){e.width=t,e.height=n.length/t;let o=e.getContext("2d");if(!o)return;let i=o.createImageData(e.width,e.height);n.forEach((s,a)=>{i.data[4*a+3]=255*Hl*(1-s/(r||1))}),o.putImageData(i,0,0)}function Ll(e,t){let n=e.row(t),r=N(n);return f`<p class="summary" data-testid="summary">${M(e.rows.units[t].label)} attends most to
    ${e.columns.units[r].label}, ${w(n[r])} in ${n.length} regions; entropy
    ${w(at(n))} of ${w(Math.log2(n.length))} bits.</p>`}function Ol(e){let n=e.rows.units.slice(1).map((o,i)=>Co(e.row(i),e.row(i+1))).filter(o=>!Number.isNaN(o));if(!n.length)return f`<p class="note">There is only one word, so no movement.</p>`;let r=n.reduce((o,i)=>o+i,0)/n.length;return f`<p class="note" data-testid="movement">From word to word ${w(r)} of the attention
    moves.${r<Pl?f` <strong>Attention is nearly the same for all words. It does not localize them, which
            often means that training failed.</strong>`:b}</p>`}var Ii=S`
  .captioned {
    display: grid; grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); gap: 1.5rem;
    align-items: start;
  }
  .beside { display: grid; gap: 1rem; }
  .lit { position: relative; overflow: hidden; border-radius: 4px; width: 100%; }
  .lit img, .lit canvas, .regions { position: absolute; inset: 0; width: 100%; height: 100%; }
  .lit canvas { image-rendering: auto; }
  .regions { display: grid; }
  .regions span {
    display: grid; place-items: center; font-size: 0.625rem; color: #fff;
    text-shadow: 0 0 2px #000, 0 0 2px #000; outline: 1px solid #ffffff55;
  }
  .film { display: flex; flex-wrap: wrap; gap: 0.75rem; }
  .frame {
    display: grid; gap: 0.15rem; width: 7rem; padding: 0.35rem; text-align: start;
    align-content: start;
  }
  .frame bdi { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  @media (max-width: 48rem) { .captioned { grid-template-columns: minmax(0, 1fr); } }
`;var Li=[["uniform","uniform attention","All cross-attention weights are equal."],["masked","mask a word","The word is masked in all cross-attention; the encoder still reads it."],["removed","remove a word","The word is removed from the source."]];function Oi(e){let{record:t,selection:n}=e,{interventions:r}=t;if(!r?.kinds.length)return ae(f`This record has no interventions. They show how the probability of the
      target changes if a source word is masked or removed, and exist for translations.`);let o=Math.min(n.intervention,r.kinds.length-1),i=r.kinds[o];return f`${Ul(e,r,o)} ${zl(t,r,o)}
    ${Vl(t,r,o)}
    <p class="note">${Li.find(([s])=>s===i)?.[2]} The
      target is unchanged; the model computes its probabilities again. <strong>This shows
      causes:</strong> if a probability falls, the change caused it. Attention weights do not show
      this.</p>`}function Ul({record:e,change:t},n,r){let[o,i]=[n.kinds[r],n.words[r]],s=Ui(e,n),a=h=>n.kinds.flatMap((x,y)=>x===h?[y]:[]),c=h=>a(h).reduce((x,y)=>s[y]>s[x]?y:x),{source:l}=e,u=l?.kind==="text"?B("source",l,"words"):null,d=u&&{...u,units:u.units.filter(h=>!h.special)},m=h=>a(o).find(x=>n.words[x]===h)??r,p=h=>s[m(h)],g=Math.max(...a(o).map(h=>s[h]));return f`<div class="pair wrap" role="group" aria-label="intervention">
      ${Li.filter(([h])=>a(h).length).map(([h,x])=>f`<button data-testid="intervention-kind" data-kind=${h}
          aria-pressed=${h===o}
          @click=${()=>t({intervention:c(h)})}>${x}</button>`)}
    </div>
    ${d&&i!==null?f`${U({axis:d,side:"columns",name:`select the word to ${o==="masked"?"mask":"remove"}; a stronger colour means a greater loss`,pieces:!1,hover:!1,current:i,selected:!0,value:p,style:h=>`${Se(p(h)/g)};${h===i?"text-decoration:line-through 2px":""}`,label:h=>d.units[h].label,select:(h,x)=>t({intervention:m(h)},x)})}`:b}`}function Ui(e,t){let n=e.numbers(t.logps),{steps:r}=e;return t.kinds.map((o,i)=>r.reduce((s,{logp:a},c)=>s+a-n[i*r.length+c],0))}function zi(e,t,n){let r=e.steps.length,o=e.numbers(t.logps),i=e.numbers(t.token_logps);return e.steps.map(({logp:s},a)=>({before:Math.exp(s),after:Math.exp(o[n*r+a]),token:t.tokens[n][a],tokenP:Math.exp(i[n*r+a])}))}function zl(e,t,n){let r=zi(e,t,n),[o]=se(r.map(({before:u,after:d})=>Math.abs(d-u))),{before:i,after:s,token:a}=r[o],c=e.target.pieces[o],l=Ui(e,t)[n];return f`<p class="summary" data-testid="summary">
    ${M(R(c))} ${s<i?"falls":"rises"} from ${w(i)} to ${w(s)}${a===c?"":f`; the model prefers ${M(R(a))}`}. <span class="soft">The target ${l>0?"loses":"gains"} ${w(Math.abs(l))} nats.</span></p>`}function Vl(e,t,n){return f`<div class="scroll" role="region" tabindex="0" aria-label="before and after">
    <table class="moves" data-testid="intervention" data-index=${n}>
    <caption class="hidden">Probability of each piece before and after</caption>
    <thead><tr><th scope="col">piece</th><th scope="col">before</th>
      <th scope="col"><span class="hidden">chart</span></th>
      <th scope="col">after</th><th scope="col">most likely piece</th></tr></thead>
    <tbody>${zi(e,t,n).map(({before:r,after:o,token:i,tokenP:s},a)=>{let c=e.target.pieces[a];return f`<tr>
        <th scope="row">${M(R(c))}</th>
        <td data-testid="before">${w(r)}</td>
        <td class="slope">${Bl(r,o)}</td>
        <td data-testid="after">${w(o)}</td>
        <td data-testid="prediction">${i===c?f`<span class="soft">unchanged</span>`:f`${M(R(i))} ${w(s)}`}</td></tr>`})}</tbody></table></div>`}function Bl(e,t){let[n,r]=e<t?[e,t]:[t,e],o=r-n<.005?"none":t<e?"down":"up";return f`<span class="track" role="img" aria-label=${`from ${T(e)} to ${T(t)}`}>
    <i class="change ${o}" .style=${`left:${100*n}%;width:${100*(r-n)}%`}></i>
    <i class="ring" .style=${`left:${100*e}%`}></i>
    <i class="disc ${o}" .style=${`left:${100*t}%`}></i></span>`}var Vi=S`
  .wrap { flex-wrap: wrap; }
  .moves { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: 0.9375rem; }
  .moves th, .moves td {
    padding: 0.2rem 0.6rem; text-align: start; border-top: 1px solid var(--line);
    white-space: nowrap;
  }
  .moves thead th { border: 0; font-weight: 500; color: var(--soft); font-size: 0.875rem; }
  .moves tbody th {
    font-weight: 400; padding-inline-start: 0; max-width: 12rem; overflow: hidden;
    text-overflow: ellipsis;
  }
  .slope { width: 45%; min-width: 9rem; }
  .track {
    position: relative; display: block; height: 1rem;
    background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
  }
  .track i { position: absolute; top: 50%; }
  .change { height: 4px; margin-top: -2px; background: var(--bar); }
  .change.down, .disc.down { background: var(--mark); }
  .change.none, .disc.none { background: var(--soft); }
  .ring, .disc { width: 11px; height: 11px; margin: -5.5px; border-radius: 50%; }
  .ring { border: 2px solid var(--soft); background: var(--paper); }
  .disc { background: var(--bar); }
  @media (forced-colors: active) { .change, .disc { background: CanvasText !important; forced-color-adjust: none; } }
`;function qi({chart:e,rows:t,columns:n,at:r}){let o=n.map(s=>Bi(e.columns.units[s].label)),i=t.map((s,a)=>[Bi(e.rows.units[s].label),...n.map((c,l)=>Number.isNaN(r(a,l))?"":String(r(a,l)))]);return[['""',...o],...i].map(s=>`${s.join(",")}\r
`).join("")}function Bi(e){return`"${(/^[=+\-@\t\r]/.test(e)?`'${e}`:e).replaceAll('"','""')}"`}var Z=40,pe=120,Di=2,ql="14px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";function Gi({chart:e,rows:t,columns:n,at:r}){let[o,i]=[pe+n.length*Z+8,pe+t.length*Z+8],s=t.flatMap((l,u)=>n.map((d,m)=>{let p=r(u,m),[g,h]=[pe+m*Z,pe+u*Z],x=Number.isNaN(p)?"#fff":K(p),y=p>=.005?`<text x="${g+Z/2}" y="${h+Z/2+4}" text-anchor="middle" font-size="11" fill="${ct(x)}">${T(p)}</text>`:"";return`<rect x="${g}" y="${h}" width="${Z}" height="${Z}" fill="${x}"/>${y}`})),a=t.map((l,u)=>`<text x="${pe-8}" y="${pe+(u+.5)*Z+5}" text-anchor="end">${ji(e.rows.units[l].label)}</text>`),c=n.map((l,u)=>{let[d,m]=[pe+(u+.5)*Z+5,pe-8];return`<text x="${d}" y="${m}" transform="rotate(-55 ${d} ${m})">${ji(e.columns.units[l].label)}</text>`});return`<svg xmlns="http://www.w3.org/2000/svg" width="${o}" height="${i}" viewBox="0 0 ${o} ${i}" style="font:${ql}"><rect width="100%" height="100%" fill="#fff"/>${[...s,...a,...c].join("")}</svg>`}async function Fi(e){let t=new Image;t.src=`data:image/svg+xml;charset=utf-8,${encodeURIComponent(e)}`,await t.decode();let n=document.createElement("canvas");return n.width=t.width*Di,n.height=t.height*Di,n.getContext("2d").drawImage(t,0,0,n.width,n.height),new Promise((o,i)=>n.toBlob(s=>s?o(s):i(new Error("no picture"))))}function ji(e){let t=[...e].filter(r=>/[^\p{C}]/u.test(r));return(t.length>14?`${t.slice(0,13).join("")}…`:t.join("")).replaceAll("&","&amp;").replaceAll("<","&lt;")}function Yi(e){return location.protocol==="about:"?b:f`<button data-testid="csv" @click=${()=>Ki(new Blob([qi(e)],{type:"text/csv"}),"weights.csv")}>Save as CSV</button>
    <button data-testid="picture" @click=${async()=>Ki(await Fi(Gi(e)),"attention.png")}>Save picture</button>`}function Ki(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(e),n.download=t,n.click(),URL.revokeObjectURL(n.href)}function Wi(e){let t=Ue(e);if(!t)return Q(e.record);let n=$i(e,t),r=f`<label class="inline"><input type="checkbox" data-testid="special-tokens"
    .checked=${e.selection.specialTokens}
    @change=${()=>e.change({specialTokens:!e.selection.specialTokens})}> special tokens</label>`;return f`${Me(e,[r,Yi(n)])} ${ki(e,n)} ${Dl(e,n)}
    ${jl(e,t)} ${Gl(e)} ${me(e)}`}function Dl(e,t){let{chart:n,rows:r,columns:o,at:i}=t;if(!r.length||!o.length)return f`<p class="summary">There are only special tokens, which are hidden.</p>`;let[s,a]=en(e,t);if(Number.isNaN(i(s,a)))return f`<p class="summary" data-testid="summary">${jt(n,r[s])}</p>`;let c=N(o.map((u,d)=>i(s,d))),l=c===a?"the highest of the row":f`the highest of the row is ${M(n.columns.units[o[c]].label)} ${w(i(s,c))}`;return f`<p class="summary" data-testid="summary">
    ${M(n.rows.units[r[s]].label)} ← ${M(n.columns.units[o[a]].label)}
    ${w(i(s,a))}, ${l}</p>`}function jl({selection:e},t){if(e.specialTokens)return b;let n=t.columns.units.flatMap((i,s)=>i.special?[s]:[]),r=t.rows.units.flatMap((i,s)=>i.special?[]:[n.reduce((a,c)=>a+(t.row(s)[c]||0),0)]),o=r.reduce((i,s)=>i+s,0)/Math.max(1,r.length);return f`<p class="note" data-testid="hidden-tokens">Special tokens are hidden. They have a mean
    weight of ${w(o)} in each row, so rows sum to less than 1.</p>`}function Gl({record:e}){let t=Array.from({length:17},(n,r)=>K(r/16));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1</span>
    ${e.links.length?f`<span><i class="key"><i class="link"></i></i> link of the alignment head</span>`:b}
    ${e.gold?f`<span><i class="key"><i class="gold"></i></i> gold link</span>`:b}
    <span>Page Up: highest of the row; Page Down: highest of the column</span>
  </p>`}var Xi="regard.explain/2",Qi={u16:2,f16:2,f32:4};async function Zi(e){let{arrays:t,data:n,...r}=JSON.parse(e);if(r.format!==Xi)throw new Error(`This viewer reads the format ${Xi}, but the record has the format “${r.format}”. Create the page with the version of regard that wrote the record.`);let o=await Fl(n),i=[],s=0;for(let{type:l,shape:u}of t)i.push(s),s+=Qi[l]*Ji(u);if(o.length!==s)throw new Error(`The record is damaged: its arrays have ${o.length} bytes instead of ${s}.`);let a=[];return{...r,numbers:l=>(a[l]??=Kl(o,i[l],t[l]),a[l])}}async function Fl(e){let t=atob(e),n=new Uint8Array(t.length);for(let o=0;o<t.length;o++)n[o]=t.charCodeAt(o);let r=new Blob([n]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(r).arrayBuffer())}function Kl(e,t,{type:n,shape:r}){let o=Ji(r),i=e.slice(t,t+o*Qi[n]).buffer;if(n==="f32")return new Float32Array(i);let s=new Uint16Array(i),a=new Float32Array(o);for(let c=0;c<o;c++)a[c]=n==="u16"?s[c]/65535:Yl(s[c]);return a}function Yl(e){let t=e&32768?-1:1,n=e>>10&31,r=e&1023;return n===0?t*r*2**-24:n===31?r?Number.NaN:t*Number.POSITIVE_INFINITY:t*(1+r/1024)*2**(n-15)}function Ji(e){return e.reduce((t,n)=>t*n,1)}var Wl=6,Xl=2;function Jn(e){return e.attentions.length?Wl:Xl}function nn({weights:e,norms:t}){let n=e.map((o,i)=>o*t[i]),r=n.reduce((o,i)=>o+i,0)||1;return n.map(o=>o/r)}function es(e,t,n){let{weights:r,detail:o,units:i}=t,s=e.target.pieces[t.step],a=u=>M(i[u].label),c=M(R(s));return[()=>f`Step ${t.step+1} of ${e.steps.length}: to predict ${c}, the decoder
      computes a query${o?.terms?f` of ${o.terms.query.length} numbers`:""}.`,()=>{if(!t.scores)return f`This is a combination of several heads, which has no scores.`;let u=t.scores.filter(m=>m>Number.NEGATIVE_INFINITY).length,d=N(t.scores);return f`${a(d)} has the highest score of ${u} positions,
        ${w(t.scores[d])}.`},()=>{let[u,d]=se(r);return f`${a(u)} gets the weight ${w(r[u])}${d===void 0?"":f`, ${a(d)} ${w(r[d])}`}.`},()=>{let u=nn(t),d=N(u);return f`Multiplied by the length of its value, ${a(d)} has the largest share,
        ${w(u[d])}.`},()=>{let u=nn(t),d=N(u);return f`${w(u[d])} of the context comes from ${a(d)}.`},()=>er(e,t.step)][n]()}function er(e,t){let n=e.target.pieces[t],{top:r,logp:o}=e.steps[t],i=r.find(([s])=>s!==n);return f`The model outputs ${M(R(n))} with <i>p</i> =
    ${w(Math.exp(o))}${i?f`; the best alternative is ${M(R(i[0]))} ${w(Math.exp(i[1]))}`:""}.`}function ns(e){let{record:t,selection:n}=e;if(!t.states||t.source?.kind!=="text")return Q(t);let r=Math.min(n.row,t.steps.length-1),o=Math.min(n.stage,1),i=a=>`stage ${a===o?"now":""}`,s=["<s>",...t.target.pieces.slice(0,r)];return f`<p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${o?er(t,r):Ql(t,r)}</p>
    <section class="stage" data-testid="encoder"><h3>Encoder</h3>
      <p class="note">The encoder reads the source piece by piece. The decoder does not see these
        states, only the vector below.</p>
      ${ts(t,t.states.encoder,t.source.pieces,-1)}
    </section>
    <section class="stage fixed" data-testid="fixed"><h3>Source vector</h3>
      ${t.summary===null?b:ce(t.numbers(t.summary),"the whole source")}
    </section>
    <section class=${i(0)} data-testid="stage-0"><h3>1. Decoder state</h3>
      <p class="note">The state after each input piece. Before the first piece it is computed from
        the source vector.</p>
      ${ts(t,t.states.decoder,s,r)}
    </section>
    <section class=${i(1)} data-testid="stage-1"><h3>2. Output</h3>
      ${Kt(t,r)}
    </section>`}function Ql(e,t){let n=t?e.target.pieces[t-1]:"<s>";return f`Step ${t+1} of ${e.steps.length}: the decoder reads
    ${M(R(n))} and computes its next state from ${t?"the last one":"the source vector"}.`}function ts(e,t,n,r){let o=e.numbers(t),i=t===e.states?.encoder?e.source:e.target,s=i?.kind==="text"?i.pieces.length:n.length,a=o.length/s,c=o.reduce((u,d)=>Math.max(u,Math.abs(d)),0),l=je(c);return f`<ol class="states">${n.map((u,d)=>{let m=o.subarray(d*a,(d+1)*a);return f`<li class=${d===r?"here":""} data-testid="state">
      <bdi dir="auto" title=${R(u)}>${R(u)}</bdi>
      <canvas role="img" aria-label=${`state of ${a} numbers`}
        ${le(1,m,l,c)}></canvas></li>`})}</ol>`}var rs=S`
  .states {
    list-style: none; display: flex; flex-wrap: wrap; gap: 0.9rem 0.25rem; margin: 0; padding: 0;
  }
  .states li { width: 4.2rem; display: grid; gap: 0.3rem; justify-items: center; }
  .states bdi {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font-size: 0.875rem;
  }
  .states canvas { width: 1.6rem; height: 7rem; image-rendering: pixelated; }
  .states .here canvas { outline: 2px solid var(--accent); outline-offset: 2px; }
  .states .here bdi { color: var(--accent); font-weight: 650; }
  .fixed .strip { outline: 2px solid currentColor; outline-offset: 3px; margin-block: 0.3rem; }
`;var os=S`
  :host {
    color-scheme: light dark;
    --ink: #1c2430; --soft: #566170; --line: #dfe4ea; --paper: #ffffff; --card: #f6f8fa;
    --accent: #1f5fa8; --accent-soft: #e3edf8; --bar: #35608f; --mark: #b65a00;
    display: block; background: var(--paper); color: var(--ink);
    font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
    font-variant-numeric: tabular-nums; text-align: start;
  }
  @media (prefers-color-scheme: dark) {
    :host {
      --ink: #e6eaf0; --soft: #a3aebc; --line: #323b47; --paper: #14181e; --card: #1c222a;
      --accent: #8ab8f0; --accent-soft: #223349; --bar: #8fb3dd; --mark: #f0a860;
    }
  }
  * { box-sizing: border-box; }
  h2, h3, p, figure { margin: 0; }
  h2 { font-size: 1.05rem; font-weight: 650; overflow-wrap: anywhere; }
  h3 { font-size: 1rem; font-weight: 650; }
  a { color: var(--accent); }
  .soft { color: var(--soft); }
  .small { font-size: 0.875rem; }
  .token { font-weight: 600; font-style: normal; overflow-wrap: anywhere; }
  .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
  .number:not(td *) { font-weight: 600; }
  header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; }
  header p { color: var(--soft); font-size: 0.875rem; overflow-wrap: anywhere; }
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
    display: flex; gap: 0.25rem 1.25rem; flex-wrap: wrap; margin: 1rem 0 1.5rem;
    border-bottom: 1px solid var(--line);
  }
  [role="tab"] {
    border: 0; border-radius: 0; background: none; padding: 0.5rem 0; color: var(--soft);
    border-bottom: 2px solid transparent; margin-bottom: -1px; white-space: nowrap;
  }
  [role="tab"][aria-selected="true"] {
    color: var(--ink); border-color: var(--accent); font-weight: 600;
  }
  .panel { display: grid; gap: 1.25rem; min-width: 0; }
  .panel > * { min-width: 0; }
  .controls { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; align-items: end; }
  .controls label, .field { display: grid; gap: 0.15rem; font-size: 0.8125rem; color: var(--soft); }
  .controls label > *, .field button, .field input { font-size: 0.9375rem; color: var(--ink); }
  .controls label.inline {
    display: flex; align-items: center; gap: 0.4rem; min-height: 2rem; color: var(--ink);
    font-size: 0.9375rem;
  }
  .pair { display: flex; }
  .pair button { border-radius: 0; margin-inline-start: -1px; }
  .pair button:first-child { border-start-start-radius: 6px; border-end-start-radius: 6px; }
  .pair button:last-child { border-start-end-radius: 6px; border-end-end-radius: 6px; }

  .summary {
    font-size: 1.125rem; line-height: 1.5; max-width: 46rem; overflow: clip;
    overflow-clip-margin: 0.3rem;
  }
  .note { color: var(--soft); font-size: 0.875rem; max-width: 46rem; overflow-wrap: anywhere; }
  .note .number { color: var(--ink); }
  cite { font-style: normal; }
  .note strong { color: var(--ink); font-weight: 600; }
  .provenance { margin-top: 2rem; font-size: 0.8125rem; }
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
`;function is(e){let t=Ue(e);return t?Zl(e,t):Jl(e.record)}function Zl(e,t){let{record:n,selection:r,change:o}=e,{row:i,column:s}=fe(t,r),a=r.by==="row",[c,l]=[t.rows,t.columns],u=(p,g)=>o({by:"row",row:c.units[p].positions[0]??0},g),d=(p,g)=>o({by:"column",column:l.units[p].positions[0]??0},g),m=(p,g)=>t.row(p)[g];return f`${Me(e)}
    <p class="note" data-testid="help">Point at a word to see which words of the other text it attends
      to, or which attend to it. The darker a word, the higher its attention weight.</p>
    <div class="texts">
      ${U({axis:l,side:"columns",name:l.name==="prefix"?"target prefix":l.name,pieces:r.units==="pieces",hover:!0,current:s,selected:!a,value:p=>a?m(i,p):null,style:p=>a?Se(m(i,p)):"",label:p=>`${l.units[p].label}, ${a?T(m(i,p)):"source word"}`,select:d})}
      ${U({axis:c,side:"rows",name:c===l?"source (queries)":c.name,pieces:r.units==="pieces",hover:!0,current:i,selected:a,value:p=>a?null:m(p,s),style:p=>`${a?"":Se(m(p,s))};${as(n,c,p)}`,label:p=>`${c.units[p].label}${a?"":`, ${T(m(p,s))}`}`,select:u})}
    </div>
    <p class="summary" aria-live="polite" data-testid="summary">
      ${a?jt(t,i):Gt(t,s)}${a&&c.name==="target"?f`; <i>p</i> = ${w(Math.exp(ss(n,c.units[i])))}`:b}
    </p>
    ${ec(c.name==="target")} ${me(e)}`}function Jl(e){let t=B("target",e.target,"words"),n=e.source?.kind==="text"?B("source",e.source,"words"):null,r={pieces:!1,hover:!1,current:-1,selected:!1,value:()=>null};return f`<div class="texts">
      ${n?U({...r,axis:n,side:"columns",name:n.name,style:()=>"",label:o=>n.units[o].label}):b}
      ${e.summary===null?b:ce(e.numbers(e.summary),"source vector")}
      ${U({...r,axis:t,side:"rows",name:t.name,style:o=>as(e,t,o),label:o=>t.units[o].label})}
    </div>
    ${Q(e)}`}function ss(e,t){return t.positions.reduce((n,r)=>n+e.steps[r].logp,0)}function as(e,t,n){if(t.name!=="target")return"";let r=-ss(e,t.units[n]);return`text-decoration-thickness:${(1+Math.min(4,r)).toFixed(2)}px`}function ec(e){let t=Array.from({length:9},(n,r)=>qn(r/8));return f`<p class="legend small soft">
    <span>0 <i class="ramp" .style=${`background:linear-gradient(90deg,${t.join()})`}></i> 1,
      attention weight</span>
    ${e?f`<span>underline: <u class="sure">likely</u> <u class="unsure">unlikely</u></span>`:b}
  </p>`}var ls=S`
  .texts { display: grid; gap: 1.75rem; }
  .texts > * { min-width: 0; }
  .texts [data-side="rows"] .word:not([data-special]) {
    text-decoration: underline var(--mark); text-underline-offset: 0.28em;
    text-decoration-skip-ink: none;
  }
  .sure, .unsure { text-decoration-color: var(--mark); text-underline-offset: 0.25em; }
  .sure { text-decoration-thickness: 1px; }
  .unsure { text-decoration-thickness: 4px; }
`;function nr({record:e,selection:t}){let n=e.head_trace;if(n===null)return!1;let{attention:r,head:o,userSelected:i}=t;return!i||n.attention===r&&n.head===o}function cs(e){let{record:t,selection:n}=e,r=nr(e)?t.head_trace:null,o=I(t,r?.attention??n.attention);if(!o||o.kind==="encoder")return null;let i=On(t,o,"pieces")[1].units,s=Math.min(n.row,t.steps.length-1),a={record:t,attention:o,step:s,units:i,temperature:n.temperature};return r?tc(a,r):nc(a,n.head)}function tc(e,t){let{record:n,attention:r,step:o,units:i}=e,s=C=>tr(n.numbers(C),o,n.steps.length),a=n.numbers(t.values),c=a.length/i.length,l=i.map((C,L)=>Math.hypot(...a.subarray(L*c,(L+1)*c))),u=s(t.scores),d=s(t.weights),m=us(e,u,d),{queries:p,keys:g,scale:h,energy:x}=t,v={terms:p===null||g===null||h===null?null:{query:s(p),keys:n.numbers(g),scale:h,energy:x===null?null:n.numbers(x)},context:No(m,a)};return{attention:r,step:o,units:i,scores:u,recorded:d,weights:m,norms:l,detail:v}}function nc(e,t){let{record:n,attention:r,step:o,units:i}=e,s=n.steps.length,{heads:a}=r,c=tr(ie(n.numbers(r.weights),a,t),o,s),l=ie(n.numbers(r.norms),a,t),u=r.scores!==void 0&&typeof t=="number"?tr(ie(n.numbers(r.scores),a,t),o,s):null,m=u&&e.temperature!==1?us(e,u,c):Array.from(c);return{attention:r,step:o,units:i,scores:u,recorded:c,weights:m,norms:l,detail:null}}function us(e,t,n){let{attention:r,temperature:o}=e,i=Dt.get(r.normalizer.name);if(!i)return Array.from(n);let s=i(t,o);if(r.prior===null)return s;let a=i(t,1);return s.map((c,l)=>a[l]?c*n[l]/a[l]:0)}function tr(e,t,n){let r=e.length/n;return e.subarray(t*r,(t+1)*r)}var or=matchMedia("(prefers-reduced-motion: reduce)");function ps(e){if(!e.record.attentions.length)return f`<div class="trace" @keydown=${u=>ms(u,e)}>
      ${ds(e,e.selection.row)} ${fs(e)} ${ns(e)}</div>`;let t=cs(e);if(!t)return f`<div class="placeholder" data-testid="placeholder"><p>Encoder self-attention has no
      decoding steps. ${hs(e)}</p></div>`;let{column:n,stage:r}=e.selection,{detail:o,attention:i,weights:s,units:a}=t,c=n<0?N(s):Math.min(n,a.length-1),l=u=>`stage ${u===r?"now":""}`;return f`<div class="trace" @keydown=${u=>ms(u,e)}>
    ${ds(e,t.step)} ${fs(e)}
    <p class="summary" role="status" aria-live="polite" data-testid="summary"
      >${es(e.record,t,r)}</p>
    ${rc(e,t)}
    <section class=${l(0)} data-testid="stage-0"><h3>1. Query</h3>
      ${o?.terms?ce(o.terms.query,"query q, from the decoder state"):o?f`<p class="note" data-testid="no-terms">The score of this attention is not shown as
                a sum of terms. The record has its values.</p>`:rr(e,"the query")}
    </section>
    <div class="middle">
      <section class="positions ${r>0&&r<4?"now":""}">
        ${Uo(e,t,c)}
        ${o?wi(t,c):rr(e,"the terms of the scores")}</section>
      <div class="sides">
        <section class=${l(1)} data-testid="stage-1"><h3>2. Scores</h3>
          ${o?.terms?bi(o.terms.energy!==null):b}
          <p class="note">${i.score.formula} <br><cite>${i.score.reference}</cite></p>
        </section>
        <section class=${l(2)} data-testid="stage-2"><h3>3. Weights</h3>
          ${xi(i.normalizer,i.prior==="gaussian")}
          ${oc(e,t)}
        </section>
        <section class=${l(3)} data-testid="stage-3"><h3>4. Weight × value</h3>
          <p class="note">A position with a short value contributes little, whatever its weight. The
            last bars show weight × ‖value‖; the largest share is
            ${w(Math.max(...nn(t)))}.</p>
        </section>
      </div>
    </div>
    <section class=${l(4)} data-testid="stage-4"><h3>5. Context</h3>
      ${o?ce(o.context,"context, Σ weight · value"):rr(e,"the context")}
    </section>
    <section class=${l(5)} data-testid="stage-5"><h3>6. Output</h3>
      ${Kt(e.record,t.step)}
      ${e.selection.temperature===1?b:f`<p class="note">The output at τ = 1. Another temperature needs a new forward pass of
              the model.</p>`}
    </section>
  </div>`}function ds({record:e,change:t},n){let r=B("target",e.target,"pieces");return U({axis:r,side:"rows",name:"target pieces",pieces:!0,hover:!1,current:n,selected:!0,value:()=>null,style:()=>"",label:o=>`step ${o+1}, ${r.units[o].label}`,select:(o,i)=>t({row:o,column:-1,playing:!1},i)})}function fs({record:e,selection:t,change:n}){let r=o=>n({...rn(t,e,o),playing:!1});return f`<div class="controls">
    <span class="pair">
      <button data-testid="back" @click=${()=>r(-1)}>← Back</button>
      <button data-testid="play" aria-pressed=${t.playing} ?disabled=${or.matches}
        @click=${()=>n({playing:!t.playing})}>${t.playing?"Pause":"Play"}</button>
      <button data-testid="forward" @click=${()=>r(1)}>Forward →</button>
    </span>
    <label>speed <select data-testid="speed"
      @change=${o=>n({pace:Number(o.target.value)})}>
      ${[[4,"slow"],[2,"normal"],[1,"fast"]].map(([o,i])=>f`<option value=${o} ?selected=${o===t.pace}>${i}</option>`)}
    </select></label>
    <span class="soft small" data-testid="stage">stage ${t.stage+1} of ${Jn(e)}${or.matches?"; playback is off because your system prefers reduced motion":""}</span>
  </div>`}function rn(e,t,n){let r=Jn(t),o=e.stage+n;if(o>=0&&o<r)return{stage:o};let i=e.row+n;return i<0||i>=t.steps.length?{playing:!1}:{row:i,column:-1,stage:n>0?0:r-1}}function ms(e,{record:t,selection:n,change:r}){let o=e.target.closest("button, select, input, [role=button]"),i=e.key===" "?"button, select, input":"select, input, [role=button]";if(o?.matches(i))return;let s={ArrowRight:1,ArrowLeft:-1}[e.key];if(e.key===" "&&!or.matches)r({playing:!n.playing});else if(s)r({...rn(n,t,s),playing:!1});else return;e.preventDefault()}function rc(e,t){let{record:n,selection:r}=e,o=nr(e)&&n.head_trace?n.head_trace.head:r.head,i=n.attentions.length>1||t.attention.heads>1;return f`<p class="note" data-testid="caption">
    <strong>${Be(n,t.attention,{head:o,shift:0})}</strong>.
    ${t.detail?t.detail.terms?"The record has all vectors of this head.":"The record has the scores, weights and values of this head.":f`The record has the vectors of another head. ${hs(e)}`}
    ${i?"The output depends on all heads and layers; this is one of them.":b}
    ${n.alignment_head?.shift&&t.detail?"The text view shows this head at next input, one step later.":b}</p>`}function hs({record:e,change:t}){return e.head_trace?f`<button data-testid="traced-head"
    @click=${()=>t(q(e),'[data-testid="forward"]')}>
    Show the head with all vectors</button>`:b}function rr({selection:e},t){let n=typeof e.head=="number"?e.head:0;return f`<p class="note">The record does not have ${t} of this head. To record it:
    <code>regard explain … --attention ${e.attention} --head ${n}</code></p>`}function oc({selection:e,change:t},n){let{attention:r,scores:o,weights:i,recorded:s,detail:a}=n;if(!o)return f`<p class="note">The ${e.head==="mean"?"mean":"maximum"} of several heads
      has no scores.</p>`;let c=Math.max(...i.map((m,p)=>Math.abs(m-s[p]))),l=e.temperature,u=m=>t({temperature:2**Number(m.target.value)}),d=r.normalizer.name;return Dt.has(d)?f`${d==="hard"||d==="uniform"?b:f`<label class="field" for="temperature">
          temperature τ = ${l===1?"1, as in the model":w(l)}
          <input id="temperature" data-testid="temperature" type="range" min="-3" max="3" step="0.25"
            .value=${String(Math.log2(l))}
            @input=${u}>
        </label>`}
  ${r.prior==="gaussian"?f`<p class="note">Your browser recomputes the softmax. The Gaussian is the ratio of the
          recorded weights to this softmax, because the record does not have p and D.</p>`:b}
  ${l===1&&!a?f`<p class="note">The weights of the model. At another τ your browser computes them from
          scores in half precision.</p>`:l===1?f`<p class="note">Computed by your browser; the recorded weights differ by at most
          <data data-testid="recompute-error" data-value=${c} value=${c}
            >${c.toExponential(0).replace("-","−")}</data>.</p>`:f`<p class="note">These are not the weights of the model.
          <button data-testid="reset-temperature"
            @click=${()=>t({temperature:1},"#temperature")}>Back to τ = 1</button></p>`}`:f`<p class="note" data-testid="recorded-weights">The weights of the model. The viewer
      does not recompute this normalizer.</p>`}var gs=S`
  .trace { display: grid; gap: 1.25rem; }
  .trace > * { min-width: 0; }
  .middle {
    display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1.25rem;
    align-items: start;
  }
  .sides { display: grid; gap: 1.25rem; }
  .stage, .positions {
    border-inline-start: 3px solid var(--line); padding: 0.1rem 0 0.1rem 1rem; display: grid;
    gap: 0.6rem; min-width: 0;
  }
  .stage > *, .positions > * { min-width: 0; }
  .trace .now { border-color: var(--accent); }
  .trace .now > h3 { color: var(--accent); }
  .trace code { font-size: 0.85em; overflow-wrap: anywhere; }
  @media (max-width: 52rem) { .middle { grid-template-columns: minmax(0, 1fr); } }
`;var mt=()=>!0,bs=e=>e.source?.kind==="image",ir=[{id:"image",title:"Image",render:Hi,fits:e=>bs(e[0])},{id:"text",title:"Text",render:is,fits:e=>!bs(e[0])},{id:"matrix",title:"Matrix",render:Wi,fits:mt},{id:"trace",title:"Step by step",render:ps,fits:mt},{id:"heads",title:"Layers × heads",render:Ri,fits:mt},{id:"beam",title:"Beam search",render:Jo,fits:mt},{id:"compare",title:"Compare",render:di,fits:e=>e.length>1},{id:"interventions",title:"Interventions",render:Oi,fits:mt}],on=class extends ue{static styles=[os,ui,ls,Si,vi,zo,yi,gs,rs,Ci,ei,fi,Ii,Vi];#e=[];#t=null;#r="";#s=!1;#o="";#i=0;#a=960;#l=new ResizeObserver(([t])=>{this.#a=t.contentRect.width,this.requestUpdate()});#c=matchMedia("(prefers-color-scheme: dark)");#u=()=>this.requestUpdate();#d=()=>this.#n(this.#f());connectedCallback(){super.connectedCallback(),this.#l.observe(this),this.#c.addEventListener("change",this.#u),window.addEventListener("hashchange",this.#d);let t=this.querySelectorAll(':scope > script[type="application/json"]');(t.length||!this.#s)&&this.show(Array.from(t,n=>n.textContent??""))}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#i),this.#l.disconnect(),this.#c.removeEventListener("change",this.#u),window.removeEventListener("hashchange",this.#d)}async show(t){this.#s=!0,this.#r="";try{if(this.#e=await Promise.all(t.map(Zi)),!this.#e.length)throw new Error("The page has no record to show.");let n=ir.filter(r=>r.fits(this.#e));this.#t={...Io(this.#e,n[0].id),...this.#f()}}catch(n){this.#r=n instanceof Error?n.message:String(n)}this.requestUpdate(),await this.updateComplete,performance.mark("regard-ready"),this.dispatchEvent(new Event("regard-ready"))}#f(){let[t,n]=this.#m()?location.hash.slice(1).split("/"):[],r=ir.find(i=>i.id===t&&i.fits(this.#e));if(!r)return{};let o=Number(n)-1;return o>=0?{view:r.id,row:o,column:-1}:{view:r.id}}#m(){return location.protocol!=="about:"&&document.querySelectorAll("regard-view").length===1}#n(t,n=""){if(!this.#t)return;let r=t.record,o=r===void 0?{}:{...q(this.#e[r]),stage:0};this.#t={...this.#t,...o,...t},this.#o=n;let{view:i,row:s}=this.#t,a=i==="trace"?`#trace/${s+1}`:`#${i}`;(t.view||i==="trace")&&this.#m()&&location.hash!==a&&history.replaceState(null,"",a),this.requestUpdate()}updated(t){clearTimeout(this.#i);let n=this.#t;if(n?.playing){let o=this.#e[n.record],i=()=>this.#n(rn(n,o,1));this.#i=window.setTimeout(i,n.pace*1e3)}if(!this.#o)return;let r=this.renderRoot.querySelector(this.#o);this.#o="",r?.focus()}render(){let t=this.#t;if(this.#r)return f`<p class="placeholder" role="alert">${this.#r}</p>`;if(!t)return f``;let n=this.#e,r=n[t.record],o={records:n,record:r,selection:t,width:this.#a,change:(a,c)=>this.#n(a,c)},i=ir.filter(a=>a.fits(n)),s=i.find(a=>a.id===t.view)??i[0];return f`${this.#p(o)}
      <div role="tablist" aria-label="views" @keydown=${a=>this.#g(a,i)}>
        ${i.map(a=>f`<button role="tab" id=${`tab-${a.id}`} data-testid=${`tab-${a.id}`}
            aria-selected=${a===s} aria-controls="panel" tabindex=${a===s?0:-1}
            @click=${()=>this.#n({view:a.id,playing:!1})}>${a.title}</button>`)}
      </div>
      <section class="panel" role="tabpanel" id="panel" data-testid=${`view-${s.id}`}
        aria-labelledby=${`tab-${s.id}`}>${s.render(o)}</section>
      ${this.#h(r)}`}#p({records:t,record:n,selection:r}){let{model:o,created:i}=n,s=t.length>1?f`<h2 class="hidden">${t.length} models</h2><label>model <select data-testid="model" @change=${c=>this.#n({record:Number(c.target.value)})}>
            ${t.map((c,l)=>f`<option value=${l} ?selected=${l===r.record}>
                ${c.model.name}</option>`)}</select></label>`:f`<h2>${o.name}</h2>`,a=[o.description,i.search,i.engine&&`engine ${i.engine}`,i.precision];return f`<header>${s}
      <p>${a.filter(Boolean).join(" · ")}${i.search==="given"?" (the user gave the target)":b}</p></header>`}#h({model:t,created:n}){let r=[`${t.parameters.toLocaleString("en")} parameters`,`weights ${t.sha256.slice(0,12)}`,n.regard&&`regard ${n.regard}`,n.torch&&`torch ${n.torch}`];return f`<p class="note provenance" data-testid="provenance" title=${t.sha256}>
      ${r.filter(Boolean).join(" · ")}</p>`}#g(t,n){let r=n.findIndex(({id:s})=>`tab-${s}`===t.target.id),o=n.length-1,i={ArrowRight:r===o?0:r+1,ArrowLeft:r<=0?o:r-1,Home:0,End:o}[t.key];i!==void 0&&(t.preventDefault(),this.#n({view:n[i].id,playing:!1},`#tab-${n[i].id}`))}};customElements.get("regard-view")||customElements.define("regard-view",on);
